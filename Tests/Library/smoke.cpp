// That the header is C++, and that handles suit a smart pointer.
#include "check.h"

#include <memory>

struct Free {
    void operator()(tessera_image *image) const { tessera_image_free(image); }
};

int main() {
    tessera_error error = {sizeof error, 0, 0, {0}};
    std::unique_ptr<tessera_image, Free> image(sample_image());
    tessera_image *small = nullptr;
    EXPECT(TESSERA_STATUS_OK, error, tessera_thumbnail(image.get(), 10, 10, nullptr, &small, &error));
    std::unique_ptr<tessera_image, Free> owner(small);
    tessera_info info = {};
    info.size = sizeof info;
    EXPECT(TESSERA_STATUS_OK, error, tessera_image_info(owner.get(), &info, &error));
    CHECK(info.width == 10 && info.height == 7 && info.has_alpha);
    puts("ok");
}
