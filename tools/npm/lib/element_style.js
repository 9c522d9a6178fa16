// The style of <binade-number>, in its shadow. Colours are those of Okabe and Ito, which readers with any colour vision can
// tell apart; the ruler's letters say the same. A page can set the custom properties.

export const STYLE = `
:host { display: inline-block; max-width: 100%; font: 14px/1.4 system-ui, sans-serif; color-scheme: light dark;
    --sign: #a33c00; --exponent: #005a8c; --fraction: #00664d; --ink: #1b1b1b; --quiet: #5b5b5b; --paper: #ffffff; --line: #c8c8c8; }
@media (prefers-color-scheme: dark) {
    :host { --sign: #ff9d5c; --exponent: #74c7f2; --fraction: #5fd6ae; --ink: #ececec; --quiet: #ababab; --paper: #1c1c1e; --line: #4a4a4d; } }
:host([hidden]) { display: none; }
.number { box-sizing: border-box; max-width: 100%; padding: 10px 12px; color: var(--ink); background: var(--paper);
    border: 1px solid var(--line); border-radius: 6px; }
.bits { display: flex; flex-wrap: wrap; gap: 4px 10px; font: 15px/1.2 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
.field { display: inline-flex; flex-wrap: wrap; min-width: 0; row-gap: 4px; }
.cell { display: inline-flex; flex-direction: column; width: 20px; text-align: center; }
.ruler { font-size: 11px; color: var(--quiet); }
.bit { box-sizing: border-box; width: 20px; padding: 3px 0; text-align: center; font: inherit; color: inherit; background: none;
    border: 0 solid currentColor; border-bottom-width: 3px; border-radius: 0; }
button.bit { cursor: pointer; }
button.bit[aria-pressed="true"] { font-weight: 700; }
button.bit:hover { background: color-mix(in srgb, currentColor 14%, transparent); }
button.bit:focus-visible { outline: 2px solid var(--ink); outline-offset: -2px; }
.sign { color: var(--sign); }
.exponent { color: var(--exponent); }
.fraction { color: var(--fraction); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 1px 12px; margin: 8px 0 0; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-variant-numeric: tabular-nums; }
.error { margin: 0; padding: 10px 12px; color: var(--ink); border: 1px solid var(--sign); border-radius: 6px; background: var(--paper); }
`;
