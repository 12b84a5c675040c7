// SPDX-License-Identifier: MIT
// The manifest of a batch: what the arrays beside it hold. Its first part is the same for all shards of a batch.
#ifndef TACT_APP_BATCH_MANIFEST_H
#define TACT_APP_BATCH_MANIFEST_H

#include "tact/tact.h"

// False and one error when a file cannot be read again.
bool tact_manifest_add_head(const tact_batch *batch, const char *digest, tact_text *out, tact_errors *errors);

// The rest: the rows, from environment first on.
void tact_manifest_add_rows(const tact_store *store, long long first, const tact_store_tally *tally, tact_text *out);

// "unknown" for numbers that no status has.
const char *tact_manifest_status_name(int status);

#endif
