#include "CTesseraKernels.h"
