// The rooms, in the order of the menu; and what they let the worker do.
import { room as number } from "./number.js";

export const rooms = [number];

// Functions for the worker: { name: (core, ...values) => answer }.
export const functions = {};
