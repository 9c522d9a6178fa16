// The answers of all dialects for one number in one format: a table with a group of rows per answer.
import { h } from "../dom.js";

// "file, function https://..." as text, and the address as a link: a page, or a thread about the rule.
function sourceCell(source) {
    const [, text, address] = /^(.*?)(?: (https:\/\/\S+))?$/.exec(source);
    return h("td", { class: "source" }, text, address && [" ", h("a", { href: address, rel: "noreferrer" }, /\/(issues|pull)\//.test(address) ? "thread" : "page")]);
}

// The first group has the most rules. A group says in words how many share its answer and whether it differs from the first.
function groupHead(rows, number, count, own) {
    const [{ value, code, flags }] = rows;
    const size = `${rows.length} of ${count} rule${count === 1 ? "" : "s"}`;
    return h("tr", { class: `group${number > 1 ? " odd" : ""}` }, h("th", { colspan: 3, scope: "rowgroup" },
        number > 1 && h("span", { class: "bad" }, "≠ "), h("b", {}, value), " ", h("code", {}, code), ` · ${size}`,
        number > 1 ? ", another answer" : "", flags.length > 0 && ` · ${flags.join(" ")}`, own && own.code === code && " · binade's default"));
}

function row({ dialect, who, source, flags }, first) {
    const others = flags.join(" ") !== first.flags.join(" ") ? ` (flags: ${flags.join(" ") || "none"})` : "";
    return h("tr", {}, h("td", { class: "dialect" }, dialect), h("td", {}, who, others), sourceCell(source));
}

export function answersTable(finding, answers) {
    const own = answers.find((one) => one.dialect === "binade"), rules = answers.filter((one) => one !== own);
    const groups = [...new Set(rules.map((one) => one.group))].sort((a, b) => a - b);
    return h("section", { class: "answer", "aria-label": finding }, h("p", { class: "finding" }, finding),
        h("div", { class: "scroll" }, h("table", { class: "answers", "aria-label": finding },
            h("thead", {}, h("tr", {}, ["Rule", "Library", "Source of the rule"].map((text) => h("th", { scope: "col" }, text)))),
            groups.map((number) => {
                const rows = rules.filter((one) => one.group === number);
                return h("tbody", {}, groupHead(rows, number, rules.length, own), rows.map((one) => row(one, rows[0])));
            }))));
}
