#include "CTesseraShim.h"

#include <string.h>

int32_t tessera_fail(tessera_outcome *outcome, int32_t status, const char *message) {
    if (outcome->status >= 0) {
        outcome->status = status;
        strncpy(outcome->message, message, sizeof outcome->message - 1);
        outcome->message[sizeof outcome->message - 1] = 0;
    }
    return outcome->status;
}
