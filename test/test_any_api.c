// SPDX-License-Identifier: MIT
// The models, steps and their derivatives with arbitrary numbers: what test/fuzz/fuzz_api.c requires, of random bytes.
#include "any_bytes.h"
#include "fuzz/fuzz_api.c"

int main(void) {
    return any_bytes_end("any_api", LLVMFuzzerTestOneInput, 3000);
}
