// In place of jbigkit, which Debian's libtiff links, in the wheel: jbigkit is GPL. JBIG data in a TIFF file isn't decoded there,
// and libtiff reports the text below. The declarations are those that libtiff calls; the structures are its own memory.

enum { unsupported = 0x7F };

int jbg_newlen(unsigned char *bytes, unsigned long count) { (void)bytes, (void)count; return unsupported; }
const char *jbg_strerror(int status) { (void)status; return "JBIG isn't supported by this build"; }

void jbg_dec_init(void *decoder) { (void)decoder; }
void jbg_dec_free(void *decoder) { (void)decoder; }
unsigned long jbg_dec_getsize(const void *decoder) { (void)decoder; return 0; }
unsigned char *jbg_dec_getimage(const void *decoder, int plane) { (void)decoder, (void)plane; return 0; }
int jbg_dec_in(void *decoder, unsigned char *bytes, unsigned long count, unsigned long *read) {
    (void)decoder, (void)bytes, (void)count;
    if (read) *read = 0;
    return unsupported;
}

void jbg_enc_init(
    void *encoder, unsigned long width, unsigned long height, int planes, unsigned char **bytes,
    void (*output)(unsigned char *, unsigned long, void *), void *context) {
    (void)encoder, (void)width, (void)height, (void)planes, (void)bytes, (void)output, (void)context;
}
void jbg_enc_out(void *encoder) { (void)encoder; }
void jbg_enc_free(void *encoder) { (void)encoder; }
