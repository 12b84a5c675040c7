// SPDX-License-Identifier: MIT
// The solvers with arbitrary numbers: what test/fuzz/fuzz_solve.c requires, of random bytes.
#include "any_bytes.h"
#include "fuzz/fuzz_solve.c"

int main(void) {
    return any_bytes_end("any_solve", LLVMFuzzerTestOneInput, 20000);
}
