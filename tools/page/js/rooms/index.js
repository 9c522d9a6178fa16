// The rooms, in the order of the menu; and what they let the worker do.
import { functions as arrays } from "../array/work.js";
import { call } from "../core/call.js";
import { room as array } from "./array.js";
import { room as block } from "./block.js";
import { room as checkpoint } from "./checkpoint.js";
import { room as formats } from "./formats.js";
import { room as libraries } from "./libraries.js";
import { room as number } from "./number.js";
import { room as run } from "./run.js";
import { room as sum } from "./sum.js";
import { room as train } from "./train.js";

export const rooms = [number, libraries, block, formats, array, sum, checkpoint, train, run];

// Functions for the worker: { name: (core, ...values) => answer }.
export const functions = { core_call: call, ...arrays };
