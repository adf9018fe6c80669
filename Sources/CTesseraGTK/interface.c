#include "CTesseraGTK.h"

// The compiler puts the files into the program (C23), so that nothing must be installed beside it.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char ui[] = {
#embed "interface/viewer.ui"
};
static const char css[] = {
#embed "interface/viewer.css"
    , 0
};

const unsigned char *tessera_viewer_ui(size_t *count) {
    *count = sizeof ui;
    return ui;
}

const char *tessera_viewer_css(void) { return css; }
