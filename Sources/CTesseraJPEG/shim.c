#include "CTesseraJPEG.h"
