public import CTessera
internal import ImageFormats
internal import ImagePyramid
internal import Raster

// The functions of tiles. Their documentation is in tessera.h.

/// The object of a `tessera_tiles`.
final class TilesHandle: Sendable {
    let tiles: TiledImage

    init(path: String, _ pointer: UnsafePointer<tessera_tiles_options>?) throws {
        let options = try CallerStructure.read(pointer, name: "options")
        let settings = TiledImage.Options(
            tileSize: try CallerText.count(options.tile_size, name: "tile_size", standard: 256),
            limits: try OpenSettings.limits(options.limits, standard: .largePictures),
            codecs: try OpenSettings.registry(options.isolation))
        tiles = try Waiting.result { () throws(ImageError) in
            try await TiledImage(contentsOf: path, options: settings)
        }
    }

    /// - Throws: A failure for a level that doesn't exist.
    func checked(level: Int64) throws(LibraryFailure) -> Int {
        guard level >= 0, level < Int64(tiles.levels.count) else {
            throw .invalid("there is no level \(level); the image has \(tiles.levels.count)")
        }
        return Int(level)
    }
}

/// Opens the tiles of the file at `path`: any image; a packed pyramid; a tree of tiles by its folder or Deep Zoom
/// document; an archive of one.
@c @implementation
public func tessera_tiles_open(
    _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<tessera_tiles_options>?,
    _ tiles: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        try HandleTable.shared.store(in: tiles, name: "tiles") {
            try TilesHandle(path: CallerText.readRequired(path, name: "path"), options)
        }
    }
}

/// Frees the handle.
@c @implementation
public func tessera_tiles_free(_ tiles: OpaquePointer?) { HandleTable.shared.remove(tiles, as: TilesHandle.self) }

/// Describes tiles.
@c @implementation
public func tessera_tiles_describe(
    _ tiles: OpaquePointer?, _ info: UnsafeMutablePointer<tessera_tiles_info>?,
    _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        let handle: TilesHandle = try HandleTable.shared.object(tiles, name: "tiles")
        let tiles = handle.tiles
        var result = tessera_tiles_info()
        (result.width, result.height) = (Int64(tiles.size.width), Int64(tiles.size.height))
        result.tile_size = Int64(tiles.geometry.tileSize)
        result.overlap = Int64(tiles.geometry.overlap)
        result.level_count = Int64(tiles.levels.count)
        result.access =
            switch tiles.access {
            case .stored: Int32(TESSERA_ACCESS_STORED)
            case .indexed: Int32(TESSERA_ACCESS_INDEXED)
            case .decoded: Int32(TESSERA_ACCESS_DECODED)
            }
        try CallerStructure.write(result, to: info, name: "info")
    }
}

/// Describes a level.
@c @implementation
public func tessera_tiles_level(
    _ tiles: OpaquePointer?, _ level: Int64, _ info: UnsafeMutablePointer<tessera_level_info>?,
    _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        let handle: TilesHandle = try HandleTable.shared.object(tiles, name: "tiles")
        let level = try handle.checked(level: level)
        let geometry = handle.tiles.geometry
        var result = tessera_level_info()
        result.width = Int64(geometry.levels[level].width)
        result.height = Int64(geometry.levels[level].height)
        result.column_count = Int64(geometry.columnCount(level))
        result.row_count = Int64(geometry.rowCount(level))
        try CallerStructure.write(result, to: info, name: "info")
    }
}

/// Decodes a tile, upright.
@c @implementation
public func tessera_tiles_read(
    _ tiles: OpaquePointer?, _ level: Int64, _ column: Int64, _ row: Int64,
    _ tile: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        try HandleTable.shared.store(in: tile, name: "tile") {
            let handle: TilesHandle = try HandleTable.shared.object(tiles, name: "tiles")
            let address = TileAddress(level: Int(level), column: Int(column), row: Int(row))
            let image = try Waiting.result { () throws(ImageError) in try await handle.tiles.tile(address) }
            return ImageHandle(Image(try image.bitmap()))
        }
    }
}

/// Copies a tile's encoded file, if it is stored or can be cut from the image's without loss; `*bytes` is NULL if
/// not.
@c @implementation
public func tessera_tiles_copy(
    _ tiles: OpaquePointer?, _ level: Int64, _ column: Int64, _ row: Int64,
    _ bytes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, _ count: UnsafeMutablePointer<Int>?,
    _ format: UnsafeMutablePointer<tessera_format_info>?, _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        try EncodedMemory.store(in: bytes, count) { memory in
            let handle: TilesHandle = try HandleTable.shared.object(tiles, name: "tiles")
            if format != nil { try CallerStructure.write(tessera_format_info(), to: format, name: "format") }
            let address = TileAddress(level: Int(level), column: Int(column), row: Int(row))
            let tile = try Waiting.result { () throws(ImageError) in try await handle.tiles.encodedTile(address) }
            guard let tile else { return false }
            if format != nil { try CallerStructure.write(tessera_format_info(tile.format), to: format, name: "format") }
            try memory.write(tile.bytes.span.bytes)
            return true
        }
    }
}

/// Decodes the region of `width` × `height` pixels at (`x`, `y`) of the full image, scaled to a target size, or 0 and
/// 0.
@c @implementation
public func tessera_tiles_region(
    _ tiles: OpaquePointer?, _ x: Int64, _ y: Int64, _ width: Int64, _ height: Int64, _ target_width: Int64,
    _ target_height: Int64, _ region: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        try HandleTable.shared.store(in: region, name: "region") {
            let handle: TilesHandle = try HandleTable.shared.object(tiles, name: "tiles")
            let rect = PixelRect(x: Int(x), y: Int(y), width: Int(width), height: Int(height))
            let target = PixelSize(width: Int(target_width), height: Int(target_height))
            let isOwn = target == PixelSize(width: 0, height: 0)
            let bitmap = try Waiting.result { () throws(ImageError) in
                try await handle.tiles.region(rect, size: isOwn ? nil : target)
            }
            return ImageHandle(Image(bitmap))
        }
    }
}
