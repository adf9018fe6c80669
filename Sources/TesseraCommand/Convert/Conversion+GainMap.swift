internal import ArgumentParser
internal import ImageFormats
internal import Raster
internal import Tessera

/// What `--gain-map` does with a picture's gain map.
enum GainMapArgument: String, ExpressibleByArgument, CaseIterable {
    case keep, drop, regenerate
}

extension Conversion {
    /// A file's gain map: the one to write, and a remark if it is left out for another reason than the user's wish.
    struct MapToWrite {
        /// Whether the file has a gain map.
        var isInFile = false
        /// The map to write.
        var map: GainMap?
        /// A remark for the user.
        var note: String?
    }

    /// Returns the gain map to write with the image in `source`.
    func gainMap(of header: ImageHeader, in source: Source, for destination: ImageDestination) -> MapToWrite {
        guard !source.isStream else { return MapToWrite() }
        var options = decoding
        // The map of a base in high dynamic range leads to the standard rendition for which another map is made.
        if makesGainMap, options.dynamicRange == .high(headroom: .infinity) { options.color = .asStored }
        do throws(ImageError) {
            guard
                let map = try ImageSource.gainMap(in: source, header: header, options: options, registry: registry)
            else { return MapToWrite() }
            var result = MapToWrite(isInFile: true)
            guard settings.gainMap != .drop else { return result }
            guard destination.canWriteGainMap || destination.isForHighRange(settings) else {
                result.note =
                    "\(entry.output) has no high dynamic range: \(entry.format) can't hold the gain map of \(entry.input)"
                return result
            }
            result.map = try settings.change.gainMap(
                map, of: header, keepsGains: settings.gainMap == .regenerate, registry)
            if result.map == nil {
                result.note =
                    "\(entry.output) has no high dynamic range: the effects make the gain map of \(entry.input) invalid"
            }
            return result
        } catch {
            guard settings.gainMap != .drop else { return MapToWrite(isInFile: true) }
            return MapToWrite(isInFile: true, note: "the gain map of \(entry.input) was left out: \(error)")
        }
    }
}

extension ImageDestination {
    /// Whether the settings ask for a high range that the format holds without a gain map.
    fileprivate func isForHighRange(_ settings: ConversionSettings) -> Bool {
        guard case .high = settings.dynamicRange else { return false }
        return settings.registry.capabilities(of: format).contains(.highDynamicRange)
    }
}

extension Conversion {
    /// Whether a gain map is made from an image in PQ or HLG: asked for, or the only way in which the format has a high
    /// range.
    var makesGainMap: Bool {
        guard registry.codec(for: entry.format).map({ ImageDestination.canWriteGainMap($0) }) ?? false else {
            return false
        }
        if settings.gainMap == .regenerate { return true }
        guard case .high = settings.dynamicRange, !registry.capabilities(of: entry.format).contains(.highDynamicRange)
        else { return false }
        return settings.gainMap != .drop
    }

    /// Returns the image to write where the dynamic range isn't standard: a rendition in PQ, or one in standard range with a
    /// gain map that is made from it; nil where the rows are written as they are, with `map` if there is one.
    /// - Throws: `unsupported` for a format that can hold neither.
    func rendition(
        _ rows: any RowSource, _ map: GainMap?, for destination: ImageDestination
    ) throws(ImageError) -> Image? {
        let isHigh = rows.info.profile.isHighDynamicRange
        if isHigh, makesGainMap { return try Image(rows.makeBitmap()).withGainMap(map).withMadeGainMap() }
        guard case .high = settings.dynamicRange, isHigh || map != nil else { return nil }
        guard destination.isForHighRange(settings) else {
            // A JPEG's own map has the high range.
            guard isHigh else { return nil }
            throw ImageError(
                .unsupported,
                "\(entry.format) can't hold high dynamic range; write avif, png, heic or jxl, or jpg with a gain map")
        }
        guard !isHigh, let map else { return nil }
        return try Image(rows.makeBitmap()).withGainMap(map).rendered(for: settings.dynamicRange)
    }
}

extension PixelChange {
    /// Returns the gain map of the result; nil if the change makes it invalid.
    fileprivate func gainMap(
        _ map: GainMap, of header: ImageHeader, keepsGains: Bool, _ registry: CodecRegistry
    ) throws(ImageError) -> GainMap? {
        switch self {
        case .fitting:
            let size = try resultSize(of: header, registry)
            return map.cropped(to: PixelRegion(header.size), of: header.size, scaledTo: size)
        case .effects(let work):
            return try work.gainMap(map, of: header.size, keepsGains: keepsGains)
        }
    }
}
