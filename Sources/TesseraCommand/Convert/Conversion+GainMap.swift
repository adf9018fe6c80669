internal import ArgumentParser
internal import ImageFormats
internal import Raster
internal import Tessera

/// What `--gain-map` does with a picture's gain map.
enum GainMapArgument: String, ExpressibleByArgument, CaseIterable {
    case keep, drop
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
        do throws(ImageError) {
            guard
                let map = try ImageSource.gainMap(in: source, header: header, options: decoding, registry: registry)
            else { return MapToWrite() }
            var result = MapToWrite(isInFile: true)
            guard settings.keepsGainMap else { return result }
            guard destination.canWriteGainMap else {
                result.note =
                    "\(entry.output) has no high dynamic range: \(entry.format) can't hold the gain map of \(entry.input)"
                return result
            }
            result.map = try settings.change.gainMap(map, of: header, registry)
            if result.map == nil {
                result.note =
                    "\(entry.output) has no high dynamic range: the effects make the gain map of \(entry.input) invalid"
            }
            return result
        } catch {
            guard settings.keepsGainMap else { return MapToWrite(isInFile: true) }
            return MapToWrite(isInFile: true, note: "the gain map of \(entry.input) was left out: \(error)")
        }
    }
}

extension PixelChange {
    /// Returns the gain map of the result; nil if the change makes it invalid.
    fileprivate func gainMap(
        _ map: GainMap, of header: ImageHeader, _ registry: CodecRegistry
    ) throws(ImageError) -> GainMap? {
        switch self {
        case .fitting:
            let size = try resultSize(of: header, registry)
            return map.cropped(to: PixelRegion(header.size), of: header.size, scaledTo: size)
        case .effects(let work):
            return try work.gainMap(map, of: header.size)
        }
    }
}
