/* binade's laboratory, libbinade-lab: arrays and checkpoints in files, training in any format, costs, references and
 * test vectors. It builds on the number library, which this header includes, and follows the rules of <binade.h>. In
 * addition:
 *
 *   - No promise from version to version. The file name of the library carries the version (libbinade-lab-0.1.0.so), so
 *     a program always runs with the version that it was compiled with. Structs may therefore have members whose size
 *     follows from an enum (bnd_policy, bnd_task, bnd_cost, bnd_account): another version is another library.
 *   - Lifetimes: bnd_X_new makes an object on the heap, and bnd_X_free frees it; bnd_X_free(NULL) does nothing.
 *     bnd_X_open fills storage of the caller, and bnd_X_close releases what it holds; a second close does nothing.
 *     Tensors are counted: each handle that a call gave, and each bnd_tensor_keep, needs one bnd_tensor_release.
 *   - Text: a call whose name ends in _n takes text with its length. Every other text ends with a 0 byte.
 *   - Tables: rows 0 .. count-1. For any other row texts are "", pointers NULL, and answers false.
 *   - Threads: an engine of tensors, and a run, are used by one thread at a time. Every other call is safe from any
 *     number of threads at once. */
#ifndef BINADE_LAB_H
#define BINADE_LAB_H

#include <binade.h>

#include <binade-lab/autopsy.h>
#include <binade-lab/calc.h>
#include <binade-lab/checkpoint.h>
#include <binade-lab/convert.h>
#include <binade-lab/cost.h>
#include <binade-lab/diff.h>
#include <binade-lab/lint.h>
#include <binade-lab/oracle.h>
#include <binade-lab/policy.h>
#include <binade-lab/scan.h>
#include <binade-lab/verify.h>
#include <binade-lab/vectors.h>
#include <binade-lab/store.h>
#include <binade-lab/study.h>
#include <binade-lab/sweep.h>
#include <binade-lab/tensor.h>
#include <binade-lab/train.h>

#endif
