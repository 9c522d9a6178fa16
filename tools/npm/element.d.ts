// Types of `binade/element`, which defines <binade-number>.

import type { Explanation } from "./index.js";

export class BinadeNumber extends HTMLElement {
    format: string;
    /** The number as text; null where the element shows a code. */
    value: string | null;
    code: bigint | null;
    editable: boolean;
    /** What explain() returns; null where format or number are not valid. */
    readonly result: Explanation | null;
}

declare global {
    interface HTMLElementTagNameMap {
        "binade-number": BinadeNumber;
    }
}
