import Foundation
import ImageLoading
import ImagePyramid
import ImageViews
import Observation
import Tessera

@MainActor
func scroll(_ url: URL, in viewSize: ViewSize, draw: ([TileDrawing]) -> Bool) async throws {
    let bytes = try await ImagePipeline.shared.bytes(for: url)
    let picture = try await TiledImage(bytes)
    let scroller = ZoomableImage(picture)
    scroller.zoom.viewSize = viewSize
    scroller.zoom.oneToOne(about: ViewPoint(x: 0, y: 0))
    scroller.zoom.pan(by: ViewPoint(x: -300, y: -200))
    for await (tiles, error) in Observations({ (scroller.drawing, scroller.error) }) {
        if let error { throw error }
        if !draw(tiles) { break }
    }
}
