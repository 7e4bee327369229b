// SPDX-License-Identifier: MIT
#include "toolbox/html/document.hpp"

#include <ctime>

#include <fmt/core.h>

#include "toolbox/cli/diagnostics.hpp"

namespace gray::html {
namespace {

// The policy forbids to fetch, run or send anything. The page does none of these.
constexpr char kHead[] = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
)";

constexpr char kStyle[] = R"(<style>
:root { color-scheme: light dark; --back: #fdfdfb; --ink: #1f2328; --soft: #62625d; --grid: #e2e1dc; --s0: #2f7ab8; --s1: #d9692b; --lost: #b9b8b2; }
@media (prefers-color-scheme: dark) {
  :root { --back: #15181b; --ink: #e6e3dd; --soft: #a19d95; --grid: #2e3236; --s0: #62a8e5; --s1: #ee935c; --lost: #5d6166; }
}
@media print { :root { --back: #fff; --ink: #000; --soft: #444; --grid: #ccc; --s0: #2f7ab8; --s1: #d9692b; --lost: #aaa; } }
* { box-sizing: border-box; }
body { background: var(--back); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums;
  max-width: 58rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 2.4rem 0 .2rem; }
section { break-inside: avoid; } p { margin: .3rem 0; } .soft { color: var(--soft); } p.soft { font-size: .9rem; }
.name { unicode-bidi: isolate; overflow-wrap: anywhere; } code { font: .92em ui-monospace, monospace; overflow-wrap: anywhere; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .6rem; margin: 1.2rem 0; }
.tiles div { border: 1px solid var(--grid); border-radius: .5rem; padding: .5rem .75rem; }
.tiles b { display: block; font-size: 1.25rem; font-weight: 600; } .tiles span { display: block; color: var(--soft); font-size: .85rem; line-height: 1.3; }
figure { margin: .8rem 0 0; } .keys { display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; font-size: .85rem; color: var(--soft); }
.keys span::before { content: ""; display: inline-block; width: .75em; height: .75em; border-radius: .15em; margin-right: .45em; background: var(--c); }
.keys .line::before { height: 0; width: 1.2em; vertical-align: .25em; border-radius: 0; background: none; border-top: 2px dashed var(--c); }
.s0 { --c: var(--s0); } .s1 { --c: var(--s1); } .mark { --c: var(--ink); } .lost { --c: var(--lost); } .grid { --c: var(--grid); }
.plot { position: relative; height: 15rem; margin: .9rem 1.6rem 2rem 5rem; font-size: .75rem; line-height: 1; color: var(--soft); }
.plot svg { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible; }
.plot span { position: absolute; white-space: nowrap; }
.plot .y { right: calc(100% + .5rem); transform: translateY(50%); } .plot .x { top: calc(100% + .6rem); transform: translateX(-50%); }
svg * { vector-effect: non-scaling-stroke; } svg line { stroke: var(--c); } svg line.mark { stroke-width: 2; stroke-dasharray: 5 4; }
svg polyline { fill: none; stroke: var(--c); stroke-width: 2; stroke-linejoin: round; }
svg .dots { stroke: var(--c); stroke-width: 6; stroke-linecap: round; } svg .area { fill: var(--c); } svg rect { fill: var(--c); }
.bars { list-style: none; margin: .8rem 0 0; padding: 0; } .bars li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: .1rem 1rem; margin: 0 0 .6rem; font-size: .9rem; }
.bars .value { text-align: right; white-space: nowrap; } .bars .more { grid-column: 1 / -1; color: var(--soft); font-size: .8rem; line-height: 1.3; }
.bar { grid-column: 1 / -1; display: block; width: 100%; height: .6rem; border-radius: .2rem; background: var(--grid); } .bar.tall { height: 2.2rem; }
table { border-collapse: collapse; width: 100%; font-size: .85rem; margin-top: .8rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--grid); overflow-wrap: anywhere; } th { color: var(--soft); font-weight: 500; }
.number, td:first-child { white-space: nowrap; } .number { text-align: right; } th:last-child, td:last-child { padding-right: 0; }
@media (max-width: 40rem) {
  .plot { margin-left: 4.6rem; margin-right: 1.2rem; } .plot .second { display: none; } .bars .value { white-space: normal; }
  table, tbody, tr, td { display: block; } tr.head { display: none; } tr { border-bottom: 1px solid var(--grid); padding: .3rem 0; }
  td { border: 0; padding: 0; display: grid; grid-template-columns: 7.5rem minmax(0, 1fr); gap: .6rem; text-align: left; } td::before { content: attr(data-name); color: var(--soft); }
  td.number { text-align: left; } td.number, td:first-child { white-space: normal; }
}
</style></head><body>
)";

}  // namespace

std::string escape(std::string_view text) {
  std::string safe;
  for (const char c : cli::printable(text)) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string name(std::string_view text) {
  return fmt::format("<span class=\"name\">{}</span>", escape(text));
}

std::string date(std::uint64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  char text[32];
  if (localtime_r(&time, &parts) == nullptr) return "";
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts)};
}

std::string document(std::string_view title, const std::string& lead, const std::string& body) {
  return fmt::format("{}<title>{}</title>\n{}<h1>{}</h1>\n{}\n{}</body></html>\n", kHead, escape(title),
                     kStyle, name(title), lead.empty() ? "" : "<p>" + lead + "</p>", body);
}

std::string section(std::string_view title, std::string_view sentence, const std::string& body) {
  return fmt::format("<section><h2>{}</h2>{}{}</section>\n", escape(title), note(sentence), body);
}

std::string note(std::string_view sentence) {
  return sentence.empty() ? "" : fmt::format("<p class=\"soft\">{}</p>\n", escape(sentence));
}

std::string tiles(const std::vector<std::pair<std::string, std::string>>& figures) {
  std::string text = "<div class=\"tiles\">";
  for (const auto& [figure, word] : figures)
    text += fmt::format("<div><b>{}</b><span>{}</span></div>", escape(figure), escape(word));
  return text + "</div>\n";
}

std::string table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows) {
  const auto attributes = [](const Column& column) { return column.is_number ? " class=\"number\"" : ""; };
  std::string text = "<table><tr class=\"head\">";
  for (const Column& column : columns)
    text += fmt::format("<th{}>{}</th>", attributes(column), escape(column.name));
  text += "</tr>\n";
  for (const auto& row : rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < columns.size() && i < row.size(); ++i)
      text += fmt::format("<td{} data-name=\"{}\"><span>{}</span></td>", attributes(columns[i]),
                          escape(columns[i].name), row[i]);
    text += "</tr>\n";
  }
  return text + "</table>\n";
}

}  // namespace gray::html
