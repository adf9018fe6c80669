internal import ImageFormats
internal import Raster
internal import Tessera

/// Writes all outputs of one input, which is decoded once if it has several.
struct VariantConversion {
    /// The conversions of one input.
    let entries: [ConversionList.Entry]
    let settings: ConversionSettings
    /// Whether this is the only conversion, which may show its own progress.
    let isAlone: Bool

    /// Runs the conversions; `receive` is called with the result of each as it is done.
    func run(receive: (ConversionList.Entry, Result<Conversion.Result, ImageError>) -> Void) {
        let source: SharedPicture?
        do throws(ImageError) {
            source = entries.count > 1 ? try open() : nil
        } catch {
            for entry in entries { receive(entry, .failure(error)) }
            return
        }
        for entry in entries {
            do throws(ImageError) {
                let conversion = conversion(entry)
                let result = if let source { try source.write(conversion) } else { try conversion.run() }
                receive(entry, .success(result))
            } catch {
                receive(entry, .failure(error))
            }
        }
    }

    private func conversion(_ entry: ConversionList.Entry) -> Conversion {
        var settings = settings
        settings.change = settings.change.replacingBounds(by: entry.variant?.bounds)
        return Conversion(entry: entry, settings: settings, isAlone: isAlone)
    }

    /// Decodes the image in the size of the largest output; returns nil if each output must be made from the file: those of
    /// several images, and drawings, which are drawn in each size.
    private func open() throws(ImageError) -> SharedPicture? {
        guard !settings.choosesSmallest, settings.selection != .each,
            var largest = entries.max(by: { $0.pixelCount < $1.pixelCount }).map(conversion)
        else { return nil }
        largest.settings.depth = entries.map { conversion($0).decoding.maximumBitsPerChannel }.max()
        let source = try largest.entry.input.open()
        guard !source.isStream else { return nil }
        let picture = try largest.open(source)
        guard !entries.contains(where: { conversion($0).mayHoldSeveral(picture.header) }),
            !settings.registry.capabilities(of: picture.header.format).contains(.vector)
        else { return nil }
        let bitmap = try picture.rows.makeBitmap()
        try picture.finish()
        return SharedPicture(source: source, header: picture.header, note: picture.note, bitmap: bitmap)
    }
}

/// A decoded image that is written several times.
private struct SharedPicture {
    let source: Source
    let header: ImageHeader
    /// A remark about damage.
    let note: String?
    let bitmap: Bitmap

    /// Writes the image as one output.
    func write(_ conversion: Conversion) throws(ImageError) -> Conversion.Result {
        if let folder = conversion.entry.folder { try FileSystem.makeFolder(folder) }
        let output = try EncodedOutput(conversion.entry.output, overwrites: conversion.settings.overwrites)
        var rows = bitmap.makeRowSource()
        if let size = conversion.entry.variant?.size, size != rows.info.size,
            case .fitting(_, let filter) = conversion.settings.change
        {
            rows = try ResamplingRowSource(rows, to: size, filter: filter)
        }
        return try conversion.write(ConversionSource(rows, header: header, note: note), of: source, to: output)
    }
}

extension ConversionList {
    /// The conversions with those of one input together.
    var entriesByInput: [[Entry]] {
        entries.reduce(into: []) { groups, entry in
            if entry.input == groups.last?[0].input {
                groups[groups.count - 1].append(entry)
            } else {
                groups.append([entry])
            }
        }
    }
}

extension ConversionList.Entry {
    /// The number of pixels of an output with its own size.
    fileprivate var pixelCount: Int { variant.map { $0.size.width * $0.size.height } ?? 0 }
}
