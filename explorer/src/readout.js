/** The numbers of a run, and their means over seeds, as tables. */

import { made } from "./dom.js";
import { amount } from "./amount.js";
import { bytesText, msText, rateText, shareText } from "./sentences.js";

/** A row a group, and what the bottleneck has. */
export function showNumbers(table, summary) {
  const isSource = summary.flows.some((flow) => flow.transfers !== undefined);
  const head = [
    "group", "goodput", "share", "mean RTT", "95 % RTT", "retransmits", "completion",
    ...(isSource ? ["its median", "its 95 %", "transfers"] : []),
  ];
  const rows = [...summary.groups].map(([name, group]) => {
    const own = summary.flows.filter((flow) => flow.name === name);
    const mean = (column) => meanOf(own.map((flow) => flow[column]));
    return [
      name, rateText(group.goodput_bps), shareText(group.share), msText(mean("rtt_mean_s")), msText(mean("rtt_p95_s")),
      shareText(mean("retransmit_rate")), secondsText(meanOfAll(own.map((flow) => flow.fct_s))),
      ...(isSource ? transfersText(own[0]) : []),
    ];
  });
  const { bottleneck, jain } = summary;
  const link = [
    ["utilization", shareText(bottleneck.utilization)], ["queue loss", shareText(bottleneck.loss_rate)],
    ["marks", shareText(bottleneck.mark_rate)], ["mean sojourn time", msText(bottleneck.sojourn_mean_s)],
    ["mean queue", `${bytesText(bottleneck.queue_mean_bytes)} (${bottleneck.queue_mean_bdp === null ? "-" : amount(bottleneck.queue_mean_bdp)} BDP)`],
    ["largest queue", bytesText(bottleneck.queue_max_bytes)], ["Jain's index", jain === null ? "-" : amount(jain)],
  ];
  filledTable(table, head, rows, `The window from ${amount(summary.window_s[0])} to ${amount(summary.window_s[1])} s`);
  table.append(made("tfoot", {}, made("tr", {}, made("td", { colSpan: head.length }, link.map((pair) => pair.join(" ")).join(" · ")))));
}

/** A row a queue, where there are several; `bottleneck`: the name of that one among them. */
export function showQueues(table, { hops = [] }, { bottleneck }) {
  table.hidden = !hops.length;
  const rows = hops.map((hop) => [
    hop.name === bottleneck ? `${hop.name} (bottleneck)` : hop.name, hop.direction === "up" ? "back" : "down", shareText(hop.utilization), shareText(hop.loss_rate), shareText(hop.mark_rate), bytesText(hop.queue_mean_bytes),
    bytesText(hop.queue_max_bytes),
  ]);
  filledTable(table, ["queue", "way", "utilization", "loss", "marks", "mean queue", "largest queue"], rows, "Each queue in the same window");
}

const secondsText = (seconds) => (seconds === null || seconds === undefined ? "-" : `${amount(seconds)} s`);

/** Of a source: when half and most of its transfers were complete, and how many of how many were. */
function transfersText({ fct_p50_s, fct_p95_s, transfers, transfers_completed }) {
  if (transfers === undefined) return ["-", "-", "-"];
  const complete = transfers_completed === transfers ? `${transfers}` : `${transfers_completed} of ${transfers}`;
  return [secondsText(fct_p50_s), secondsText(fct_p95_s), complete];
}

/** A row a group, each number with its 95 % interval. */
export function showMeans(table, rows, caption) {
  filledTable(table, ["group", "quantity", "mean", "95 % interval", "seeds"], rows, caption);
}

/** Of what is known; null of nothing. */
export function meanOf(values) {
  const known = values.filter((value) => value !== null);
  return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
}

/** Null if one is not known: the mean of the others would flatter whoever left some behind. */
export function meanOfAll(values) {
  return values.includes(null) ? null : meanOf(values);
}

function filledTable(table, head, rows, caption) {
  table.replaceChildren(
    made("caption", { className: "fine" }, caption),
    made("thead", {}, made("tr", {}, ...head.map((name) => made("th", { scope: "col" }, name)))),
    made("tbody", {}, ...rows.map(([name, ...cells]) => made("tr", {},
      made("th", { scope: "row" }, name), ...cells.map((cell) => made("td", { className: "number" }, cell))))),
  );
}
