// Reads images with Qt, by name and from memory.
//
// qt FILE OUTPUT      prints the format and whether there is alpha, and writes a PNG
// qt --type FILE      prints the media type
// qt --survive FILE…  reads damaged files; prints how many could be read

#include <QtCore/QBuffer>
#include <QtCore/QCoreApplication>
#include <QtCore/QFile>
#include <QtCore/QMimeDatabase>
#include <QtGui/QColorSpace>
#include <QtGui/QImage>
#include <QtGui/QImageReader>
#include <cstdio>
#include <cstring>

int main(int count, char **arguments) {
    QCoreApplication application(count, arguments);
    if (count > 2 && std::strcmp(arguments[1], "--survive") == 0) {
        int read = 0;
        for (int index = 2; index < count; index++) read += !QImage(QString::fromLocal8Bit(arguments[index]), "jpng").isNull();
        std::printf("%d\n", read);
        return 0;
    }
    if (count != 3)
        return 2;
    if (std::strcmp(arguments[1], "--type") == 0) {
        std::printf("%s\n", qPrintable(QMimeDatabase().mimeTypeForFile(QString::fromLocal8Bit(arguments[2])).name()));
        return 0;
    }
    const QString name = QString::fromLocal8Bit(arguments[1]);
    QImageReader reader(name);
    const QSize size = reader.size();
    const QByteArray format = reader.format();
    const QImage image = reader.read();
    if (image.isNull() || image.size() != size) {
        std::fprintf(stderr, "%s\n", qPrintable(reader.errorString()));
        return 1;
    }
    QFile file(name);
    file.open(QIODevice::ReadOnly);
    QImage other = QImage::fromData(file.readAll());
    // By content alone, Qt 6 asks plug-ins in the order of their folder.
    if (other != image && !qEnvironmentVariableIsSet("BY_NAME")) {
        std::fprintf(stderr, "the image in memory is another\n");
        return 1;
    }
    QImageReader scaled(name);
    scaled.setScaledSize(size / 2);
    if (scaled.read().size() != size / 2) {
        std::fprintf(stderr, "the image isn't scaled\n");
        return 1;
    }
    std::printf("%s %s\n", format.constData(), image.hasAlphaChannel() ? "alpha" : "opaque");
    // As it is, without a profile that a reader would apply.
    QImage plain = image;
    plain.setColorSpace(QColorSpace());
    return plain.save(QString::fromLocal8Bit(arguments[2]), "PNG") ? 0 : 1;
}
