// Memory by role as stacked bars; memory against gap, a point per recipe.

import { stackChart, xyChart, numberText } from "../chart/chart.js";

// Bytes as a reader says them; the table's own texts come with the report.
export function bytesText(bytes) {
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let i = 0;
    while (Math.abs(bytes) >= 1024 && i < units.length - 1) {
        bytes /= 1024;
        i++;
    }
    return `${numberText(bytes, 3)} ${units[i]}`;
}

export function memoryBars(rows) {
    const known = rows.filter((row) => row.memory && row.memory.parts?.length > 0);
    if (known.length === 0) {
        return null;
    }
    const roles = [...new Map(known.flatMap((row) => row.memory.parts.filter((part) => part.bytes > 0).map((part) => [part.role, part.label ?? part.role])))];
    const shown = new Set(known.map((row) => row.key));
    const data = () => {
        const visible = known.filter((row) => shown.has(row.key));
        return { rows: visible.map((row) => row.name), series: roles.map(([role, label]) => ({ name: label, key: role, values: visible.map((row) => row.memory.parts.find((part) => part.role === role)?.bytes ?? 0) })) };
    };
    const chart = stackChart({ title: "Memory by role", rowLabel: "recipe", format: bytesText, ...data(),
        summary: () => known.map((row) => `${row.name}: ${row.memory.text ?? bytesText(row.memory.bytes)}`).join("; "),
        note: "What training in the recipe keeps: each role at its own peak, and the activations saved for the backward pass." });
    return { element: chart.element, close: chart.close, show: (key, on) => { shown[on ? "add" : "delete"](key); chart.update(data()); } };
}

export function memoryAgainstGap(report, rows) {
    const number = (v) => typeof v === "number" && Number.isFinite(v);
    const known = rows.filter((row) => number(row.memory_bytes ?? row.memory?.bytes));
    const points = known.filter((row) => row.is_reference || number(row.gap));
    const ratios = points.length > 0 && points.every((row) => row.is_reference || number(row.ratio));
    if (points.length < 2) {
        return null;
    }
    const failed = rows.filter((row) => row.verdict === "failed" && !points.includes(row)).map((row) => row.name);
    const tolerances = rows.map((row) => row.tolerance).filter((t) => number(t) && t > 0), tolerance = Math.max(...tolerances);
    return xyChart({
        title: "Memory against gap", legend: false, height: 320,
        x: { label: "memory", scale: "linear", scales: ["linear", "log"], from: null, format: bytesText, tick: bytesText },
        y: { label: ratios ? "loss, ratio to the reference" : `loss minus that of ${report.reference ?? "the reference"}`, scale: ratios ? "log" : "linear", scales: ratios ? ["log", "linear"] : ["linear", "symmetric"] },
        series: points.map((row) => {
            const y = row.is_reference ? (ratios ? 1 : 0) : ratios ? row.ratio : row.gap;
            const [low, high] = ratios ? [row.ratio_low ?? null, row.ratio_high ?? null] : number(row.interval) && !row.is_reference ? [row.gap - row.interval, row.gap + row.interval] : [null, null];
            return { name: row.name, key: row.key, style: row.style, kind: "points", x: [row.memory_bytes ?? row.memory.bytes], y: [y], low: [low], high: [high] };
        }),
        regions: tolerances.length > 0 && !ratios ? [{ axis: "y", from: -tolerance, to: tolerance, text: "tolerance" }] : [],
        rules: [{ axis: "y", at: ratios ? 1 : 0, include: true }],
        summary: "A point per recipe: the memory of training against the gap to the reference. Left and low is better.",
        note: `Left and low is better.${failed.length > 0 ? ` Not drawn, because failed runs have no gap: ${failed.join(", ").slice(0, 400)}.` : ""}`,
    });
}
