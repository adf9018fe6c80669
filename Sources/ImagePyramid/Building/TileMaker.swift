internal import ImageFormats
internal import Raster

/// Encodes tiles and hands them to the sink; shared by all threads, each with an encoder of its own.
struct TileMaker: Sendable {
    let encoding: TileEncoding
    let plan: LevelStripPlan
    let alpha: AlphaMode
    let sink: any TileSink
    /// What copies tiles instead of encoding them, where that can be done.
    var copier: TileCopier?

    func makeEncoder() throws(ImageError) -> TileEncoder {
        try TileEncoder(encoding, plan: plan, alpha: alpha)
    }

    /// Does what is to be done; a tile that the sink has isn't made.
    func make(_ job: TileQueue.Job, by encoder: TileEncoder, _ queue: TileQueue) throws(ImageError) {
        guard case .tile(let tile, let strip) = job else {
            try copier?.run()
            return
        }
        let (sink, address) = (sink, tile.address)
        if !sink.contains(address) {
            try encoder.encode(tile, of: strip) { (bytes) throws(ImageError) in
                try sink.write(bytes, at: address)
            }
        }
        queue.didFinish()
    }
}
