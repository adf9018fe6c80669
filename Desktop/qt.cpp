// The image plug-in of Qt 5 and Qt 6: KDE's programs, and everything else that uses QImageReader.

#include <QtCore/QIODevice>
#include <QtCore/QVariant>
#include <QtGui/QColorSpace>
#include <QtGui/QImage>
#include <QtGui/QImageIOHandler>
#include <QtGui/QImageIOPlugin>

#include "jpng.h"

namespace {

// Whether a device is at the beginning of a JPNG: by its tag, or by its footer where the device can be read from any place.
bool canRead(QIODevice *device) {
    uint8_t head[JPNG_HEAD_SIZE], footer[JPNG_FOOTER_SIZE];
    if (!device || !device->isReadable())
        return false;
    const qint64 count = device->peek(reinterpret_cast<char *>(head), sizeof head);
    if (count < 0 || !jpng_is_jpeg(head, size_t(count)))
        return false;
    if (jpng_is_tagged(head, size_t(count)))
        return true;
    const qint64 start = device->pos(), end = device->size();
    if (device->isSequential() || end - start < JPNG_FOOTER_SIZE || !device->seek(end - JPNG_FOOTER_SIZE))
        return false;
    const bool result = device->read(reinterpret_cast<char *>(footer), sizeof footer) == sizeof footer
        && jpng_is_footer(footer);
    return device->seek(start) && result;
}

class Handler final : public QImageIOHandler {
public:
    ~Handler() override { jpng_close(&picture); }

    bool canRead() const override {
        if (state != State::Unread)
            return state == State::Open;
        if (!::canRead(device()))
            return false;
        setFormat("jpng");
        return true;
    }

    bool read(QImage *result) override {
        if (!open())
            return false;
        QSize size = scaledSize.isValid() ? scaledSize : imageSize();
        if (size.isEmpty())
            return false;
        // QImage's 32 bits are blue, green, red, alpha in memory where the least significant byte is first.
        const bool hasAlpha = picture.info.has_alpha;
        const bool isLittle = Q_BYTE_ORDER == Q_LITTLE_ENDIAN;
        const QImage::Format format = isLittle ? (hasAlpha ? QImage::Format_ARGB32 : QImage::Format_RGB32)
                                               : (hasAlpha ? QImage::Format_RGBA8888 : QImage::Format_RGBX8888);
        QImage image;
#if QT_VERSION >= QT_VERSION_CHECK(6, 0, 0)
        // Checks QImageReader's limit, too.
        if (!allocateImage(size, format, &image))
            return false;
#else
        image = QImage(size, format);
        if (image.isNull())
            return false;
#endif
        const tessera_decode_options options = jpng_decoding(
            isLittle ? TESSERA_PIXELS_BGRA8 : TESSERA_PIXELS_RGBA8,
            hasAlpha ? TESSERA_ALPHA_STRAIGHT : TESSERA_ALPHA_NONE, size.width(), size.height());
        tessera_error error = jpng_no_error();
        if (tessera_decode(
                picture.image, &options, image.bits(), size_t(image.bytesPerLine()) * size_t(size.height()),
                size_t(image.bytesPerLine()), &error)
            != TESSERA_STATUS_OK)
            return report(error);
        image.setColorSpace(hasProfile() ? profile() : QColorSpace(QColorSpace::SRgb));
        if (picture.info.horizontal_resolution > 0 && picture.info.vertical_resolution > 0) {
            image.setDotsPerMeterX(qRound(picture.info.horizontal_resolution / 0.0254));
            image.setDotsPerMeterY(qRound(picture.info.vertical_resolution / 0.0254));
        }
        *result = image;
        // There is no second image.
        state = State::Read;
        return true;
    }

    QVariant option(ImageOption option) const override {
        // A const function of Qt's that reads the file's header.
        Handler *self = const_cast<Handler *>(this);
        switch (option) {
        case Size: return self->open() ? QVariant(imageSize()) : QVariant();
        case ScaledSize: return scaledSize;
        case ImageFormat:
            return self->open() && picture.info.has_alpha ? QImage::Format_ARGB32 : QImage::Format_RGB32;
        default: return QVariant();
        }
    }

    void setOption(ImageOption option, const QVariant &value) override {
        if (option == ScaledSize)
            scaledSize = value.toSize();
    }

    bool supportsOption(ImageOption option) const override {
        return option == Size || option == ScaledSize || option == ImageFormat;
    }

private:
    enum class State { Unread, Open, Read, Failed };

    State state = State::Unread;
    jpng_picture picture{};
    QSize scaledSize;

    QSize imageSize() const { return QSize(int(picture.info.width), int(picture.info.height)); }

    QColorSpace profile() const {
        return QColorSpace::fromIccProfile(
            QByteArray(reinterpret_cast<const char *>(picture.profile), int(picture.profile_size)));
    }

    // Whether pixels have a profile; with one that Qt doesn't support, the image is opened again, as sRGB.
    bool hasProfile() const { return picture.profile != nullptr; }

    bool report(const tessera_error &error) {
        qWarning("JPNG: %s", error.message);
        state = State::Failed;
        return false;
    }

    // Reads the file, once.
    bool open() {
        if (state != State::Unread)
            return state == State::Open;
        if (!device())
            return false;
        const QByteArray bytes = device()->readAll();
        tessera_error error = jpng_no_error();
        if (jpng_open_with_profile(bytes.constData(), size_t(bytes.size()), &picture, &error) != TESSERA_STATUS_OK)
            return report(error);
        if (hasProfile() && !profile().isValid()) {
            jpng_close(&picture);
            if (jpng_open_as(bytes.constData(), size_t(bytes.size()), TESSERA_COLOR_SRGB, &picture, &error)
                != TESSERA_STATUS_OK)
                return report(error);
        }
        if (picture.info.width > INT_MAX || picture.info.height > INT_MAX) {
            jpng_close(&picture);
            state = State::Failed;
            return false;
        }
        state = State::Open;
        return true;
    }
};

}

class TesseraPlugin final : public QImageIOPlugin {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID "org.qt-project.Qt.QImageIOHandlerFactoryInterface" FILE "qt.json")

public:
    Capabilities capabilities(QIODevice *device, const QByteArray &format) const override {
        if (format == "jpng")
            return CanRead;
        return format.isEmpty() && canRead(device) ? CanRead : Capabilities();
    }

    QImageIOHandler *create(QIODevice *device, const QByteArray &format) const override {
        QImageIOHandler *handler = new Handler;
        handler->setDevice(device);
        handler->setFormat(format.isEmpty() ? QByteArray("jpng") : format);
        return handler;
    }
};

#include "qt.moc"
