// Style sheet and script of the page. No font, picture or script is loaded from anywhere.
#pragma once

namespace smpipe::validate {

inline constexpr const char* kPageStyle = R"css(
:root { color-scheme: light dark; --ink: #1f2328; --muted: #59636e; --line: #d8dee4; --ground: #ffffff; --panel: #f6f8fa;
  --good: #1a7f37; --bad: #b42318; --component: #0072b2; --pipeline: #d55e00; --kernel: #009e73; --published: #b0568a; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --muted: #9aa4af; --line: #3d444d; --ground: #0d1117; --panel: #161b22; --good: #4ac26b;
    --bad: #ff8272; --component: #4aa8e0; --pipeline: #f0883e; --kernel: #2fbf94; --published: #dd8fbd; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem 1.25rem 4rem; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .25rem; letter-spacing: -.01em; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; padding-top: .75rem; border-top: 1px solid var(--line); }
h3 { font-size: .95rem; margin: 0 0 .25rem; }
p { margin: .25rem 0 .75rem; max-width: 65ch; }
.lead { color: var(--muted); }
.note { border-left: 3px solid var(--bad); padding-left: .75rem; }
a { color: inherit; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: .75rem 0 1.25rem; font-size: .9rem; }
nav a { color: var(--muted); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .75rem; margin: 1rem 0; }
.tile { background: var(--panel); border-radius: 6px; padding: .75rem .9rem; border-top: 3px solid var(--line); }
.tile.component { border-color: var(--component); } .tile.pipeline { border-color: var(--pipeline); }
.tile.kernel { border-color: var(--kernel); } .tile.published { border-color: var(--published); }
.tile b { display: block; font-size: 1.6rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.tile span { color: var(--muted); font-size: .85rem; display: block; }
figure { margin: 0 0 1.5rem; min-width: 0; }
figure svg { display: block; width: 100%; height: auto; }
figure .bars { max-width: 54rem; }
figcaption { color: var(--muted); font-size: .85rem; }
.grid { display: grid; gap: 1.25rem 2rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr)); }
.overview { display: grid; gap: 0 2rem; }
@media (min-width: 60rem) { .overview { grid-template-columns: 1fr 1fr; } .overview figure:first-child { grid-row: span 2; } }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .87rem; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { font-weight: 600; color: var(--muted); position: sticky; top: 0; background: var(--ground); }
th button { all: unset; cursor: pointer; } th button:focus-visible { outline: 2px solid var(--component); }
th[aria-sort=ascending] button::after { content: " \2191"; } th[aria-sort=descending] button::after { content: " \2193"; }
td:first-child, th:first-child, .left { text-align: left; }
td.wrap { white-space: normal; min-width: 14rem; }
tr.outside td.error { color: var(--bad); font-weight: 600; }
.component td.group { color: var(--component); } .pipeline td.group { color: var(--pipeline); }
.kernel td.group { color: var(--kernel); } .published td.group { color: var(--published); }
td.bar { width: 8rem; min-width: 6rem; padding: 0 .6rem; }
td.bar div { position: relative; height: .55rem; background: linear-gradient(var(--muted), var(--muted)) center / 1px 100% no-repeat; }
td.bar i { position: absolute; top: 0; bottom: 0; background: var(--muted); opacity: .75; }
tr.outside td.bar i { background: var(--bad); opacity: 1; }
.pass { color: var(--good); } .broken { color: var(--bad); font-weight: 600; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0 0 1rem; font-size: .9rem; }
dt { color: var(--muted); } dd { margin: 0; overflow-wrap: anywhere; }
input[type=search] { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--line); border-radius: 6px;
  padding: .35rem .6rem; width: min(100%, 22rem); margin: 0 0 .75rem; }
details { margin: .75rem 0; } summary { cursor: pointer; color: var(--muted); }
code { font: .92em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
@media (max-width: 40rem) { body { padding: 1rem .9rem 3rem; } th, td { padding: .25rem .4rem; } td.bar { display: none; }
  th.bar { display: none; } .wide { overflow-x: auto; } .wide svg { min-width: 40rem; } dl { grid-template-columns: 1fr; } dt { margin-top: .35rem; } }
@media print { nav, input { display: none; } }
)css";

/// Sorts a table by a click on its heading and filters the list of values. Without '<' and '&', so that the page stays
/// well-formed XML.
inline constexpr const char* kPageScript = R"js(
document.querySelectorAll("table.sortable").forEach(function (table) {
  var body = table.tBodies[0];
  table.querySelectorAll("th").forEach(function (head, column) {
    var button = head.querySelector("button");
    if (!button) return;
    button.addEventListener("click", function () {
      var up = head.getAttribute("aria-sort") === "descending" ? 1 : -1;
      if (!head.classList.contains("num")) up = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      table.querySelectorAll("th").forEach(function (h) { h.removeAttribute("aria-sort"); });
      head.setAttribute("aria-sort", up === 1 ? "ascending" : "descending");
      var value = function (row) { return row.cells[column].getAttribute("data-v") || row.cells[column].textContent; };
      var rows = Array.from(body.rows);
      rows.sort(function (a, b) {
        return up * value(a).localeCompare(value(b), "en", { numeric: !head.classList.contains("num") }) *
               (head.classList.contains("num") ? 0 : 1) ||
               (head.classList.contains("num") ? up * (parseFloat(value(a)) - parseFloat(value(b))) : 0);
      });
      rows.forEach(function (row) { body.appendChild(row); });
    });
  });
});
var filter = document.getElementById("filter");
if (filter) filter.addEventListener("input", function () {
  var words = filter.value.toLowerCase().split(/\s+/);
  document.querySelectorAll("#values tbody tr").forEach(function (row) {
    var text = row.textContent.toLowerCase();
    row.hidden = !words.every(function (word) { return text.includes(word); });
  });
});
)js";

}  // namespace smpipe::validate
