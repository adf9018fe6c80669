#if GTK
internal import CTesseraGTK
package import ImageViews
package import Raster

/// What a widget draws on while it is asked to. Lengths are points.
@MainActor
package struct Canvas {
    // Holds: GTK lends it for the length of one call, and who is asked to draw doesn't keep it.
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    package func draw(_ texture: Texture, in rect: ViewRect) {
        tessera_draw_texture(pointer, texture.object.pointer, rect.x, rect.y, rect.width, rect.height)
    }

    /// Fills a rectangle. Colours are 0xRRGGBBAA.
    package func fill(_ color: UInt32, _ rect: ViewRect, radius: Double = 0) {
        tessera_draw_color(pointer, color, rect.x, rect.y, rect.width, rect.height, radius)
    }

    /// Draws a line within the edges of a rectangle.
    package func frame(_ color: UInt32, _ rect: ViewRect, radius: Double = 0, line: Double) {
        tessera_draw_border(pointer, color, rect.x, rect.y, rect.width, rect.height, radius, line)
    }

    /// Writes one line in a widget's font.
    /// - Parameter alignment: From 0, at the left, to 1.
    package func write(
        _ text: String, _ color: UInt32, in rect: ViewRect, alignment: Double = 0.5, size: Double,
        for widget: ViewWidget
    ) {
        guard let object = widget.pointer else { return }
        tessera_draw_text(pointer, object, text, color, rect.x, rect.y, rect.width, alignment, size)
    }

    /// Writes several lines about a rectangle's middle, as many as have room, in a widget's font.
    package func writeMessage(_ text: String, _ color: UInt32, in rect: ViewRect, size: Double, for widget: ViewWidget)
    {
        guard let object = widget.pointer, rect.width > 0, rect.height > 0 else { return }
        tessera_draw_message(pointer, object, text, color, rect.x, rect.y, rect.width, rect.height, size)
    }

    /// Has what `body` draws seen within `rect` alone.
    package func clipped(to rect: ViewRect, radius: Double = 0, _ body: () -> Void) {
        tessera_push_clip(pointer, rect.x, rect.y, rect.width, rect.height, radius)
        body()
        tessera_pop(pointer)
    }

    /// Has what `body` draws less than opaque.
    package func opacity(_ opacity: Double, _ body: () -> Void) {
        guard opacity < 1 else { return body() }
        tessera_push_opacity(pointer, opacity)
        body()
        tessera_pop(pointer)
    }

    /// Fades from what `first` draws to what `second` does.
    package func crossFade(_ progress: Double, from first: () -> Void, to second: () -> Void) {
        tessera_push_cross_fade(pointer, progress)
        first()
        tessera_pop(pointer)
        second()
        tessera_pop(pointer)
    }

    /// Draws upright pixels' `orientation` so that they fill `rect` turned as it says.
    package func draw(_ texture: Texture, in rect: ViewRect, turned orientation: Orientation) {
        guard orientation != .up else { return draw(texture, in: rect) }
        // Where the first stored pixel of four goes, and which way is down, say all of it.
        let unit = PixelSize(width: 2, height: 2)
        let (origin, below) = (
            orientation.applied(toX: 0, y: 0, in: unit), orientation.applied(toX: 0, y: 1, in: unit)
        )
        let degrees: Int32 =
            switch (below.x - origin.x, below.y - origin.y) {
            case (0, 1): 0
            case (-1, 0): 90
            case (0, -1): 180
            default: 270
            }
        let (width, height) = orientation.swapsSides ? (rect.height, rect.width) : (rect.width, rect.height)
        tessera_save(pointer)
        tessera_turn(
            pointer, rect.x + Double(origin.x) * rect.width, rect.y + Double(origin.y) * rect.height, degrees,
            orientation.isMirrored)
        draw(texture, in: ViewRect(x: 0, y: 0, width: width, height: height))
        tessera_restore(pointer)
    }
}
#endif
