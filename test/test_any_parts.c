// SPDX-License-Identifier: MIT
// The parts of the laws with arbitrary numbers: what test/fuzz/fuzz_parts.c requires, of random bytes.
#include "any_bytes.h"
#include "fuzz/fuzz_parts.c"

int main(void) {
    return any_bytes_end("any_parts", LLVMFuzzerTestOneInput, 20000);
}
