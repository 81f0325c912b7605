#include "validate/worker_pool.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace smpipe::validate {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kTaskThrew = 70;
/// The flag of an interruption is looked at so often even if nothing happens.
constexpr int kPollMs = 200;

struct Worker {
  pid_t pid = 0;
  int fd = -1;
  std::size_t index = 0;
  Clock::time_point deadline;
  std::string output;
  bool timed_out = false;
};

bool write_all(int fd, const std::string& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t n = write(fd, text.data() + at, text.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += static_cast<std::size_t>(n);
  }
  return true;
}

[[noreturn]] void run_child(int fd, std::size_t index, const std::function<std::string(std::size_t)>& task) {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // no orphans if the parent dies
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  int code = 0;
  try {
    if (!write_all(fd, task(index))) code = kTaskThrew;
  } catch (const std::exception& error) {
    write_all(fd, error.what());
    code = kTaskThrew;
  }
  // Not exit(): destructors and buffers belong to the parent.
  _exit(code);
}

Worker start(std::size_t index, const std::function<std::string(std::size_t)>& task, double timeout_s) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid < 0) {
    close(ends[0]);
    close(ends[1]);
    throw std::runtime_error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  }
  if (pid == 0) {
    close(ends[0]);
    run_child(ends[1], index, task);
  }
  close(ends[1]);
  const auto limit = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout_s));
  return {pid, ends[0], index, Clock::now() + limit, {}, false};
}

/// False at the end of the worker's output.
bool drain(Worker& worker) {
  char buffer[1 << 16];
  const ssize_t n = read(worker.fd, buffer, sizeof buffer);
  if (n > 0) worker.output.append(buffer, static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

TaskOutcome finish(Worker& worker, double timeout_s) {
  close(worker.fd);
  int status = 0;
  while (waitpid(worker.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (worker.timed_out) return {false, {}, fmt::format("no answer within {:g} s", timeout_s)};
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    const char* hint = number == SIGKILL ? "; the machine may have run out of memory" : "";
    return {false, {}, fmt::format("killed by signal {} ({}){}", number, strsignal(number), hint)};
  }
  if (WEXITSTATUS(status) == kTaskThrew) return {false, {}, worker.output};
  if (WEXITSTATUS(status) != 0) return {false, {}, fmt::format("ended with code {}", WEXITSTATUS(status))};
  return {true, std::move(worker.output), {}};
}

void stop_all(std::vector<Worker>& workers) {
  for (Worker& worker : workers) {
    kill(worker.pid, SIGKILL);
    finish(worker, 0);
  }
  workers.clear();
}

void kill_overdue(std::vector<Worker>& workers) {
  const auto now = Clock::now();
  for (Worker& worker : workers) {
    if (worker.timed_out || now < worker.deadline) continue;
    worker.timed_out = true;
    kill(worker.pid, SIGKILL);
  }
}

/// Waits for output of any worker, and reports the ones that ended.
void wait_and_collect(std::vector<Worker>& workers, double timeout_s,
                      const std::function<void(std::size_t, const TaskOutcome&)>& done) {
  std::vector<pollfd> fds;
  for (const Worker& worker : workers) fds.push_back({worker.fd, POLLIN, 0});
  if (poll(fds.data(), fds.size(), kPollMs) <= 0) return;
  for (std::size_t i = workers.size(); i-- > 0;) {
    if (fds[i].revents == 0 || drain(workers[i])) continue;
    const std::size_t index = workers[i].index;
    const TaskOutcome outcome = finish(workers[i], timeout_s);
    workers.erase(workers.begin() + static_cast<std::ptrdiff_t>(i));
    done(index, outcome);
  }
}

}  // namespace

bool run_forked(const std::vector<std::size_t>& order, const std::function<std::string(std::size_t)>& task,
                const std::function<void(std::size_t, const TaskOutcome&)>& done, const PoolOptions& options) {
  std::vector<Worker> workers;
  std::size_t next = 0;
  try {
    while (next < order.size() || !workers.empty()) {
      if (options.stop && options.stop()) {
        stop_all(workers);
        return false;
      }
      while (next < order.size() && workers.size() < std::max(1u, options.jobs)) {
        workers.push_back(start(order[next], task, options.timeout_s));
        ++next;
      }
      wait_and_collect(workers, options.timeout_s, done);
      kill_overdue(workers);
    }
  } catch (...) {
    stop_all(workers);
    throw;
  }
  return true;
}

}  // namespace smpipe::validate
