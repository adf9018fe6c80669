#if GTK
internal import CTesseraGTK
package import ImageViews
package import Raster

/// The canvas that a widget draws on, valid only during the draw call. Lengths are in points.
@MainActor
package struct Canvas {
    // Valid: GTK lends the pointer for one call, and no drawing code stores it.
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    package func draw(_ texture: Texture, in rect: ViewRect) {
        tessera_draw_texture(pointer, texture.object.pointer, rect.x, rect.y, rect.width, rect.height)
    }

    /// Fills a rectangle. Colours are 0xRRGGBBAA.
    package func fill(_ color: UInt32, _ rect: ViewRect, radius: Double = 0) {
        tessera_draw_color(pointer, color, rect.x, rect.y, rect.width, rect.height, radius)
    }

    /// Fills a rectangle with the chequers that stand for transparency. Every colour has a contrast of 4.5:1 or more with
    /// one of the two greys: black 7.4:1 with the lighter, white 5.7:1 with the darker.
    package func fillWithChequers(_ rect: ViewRect) {
        tessera_draw_chequers(pointer, 0x6666_66FF, 0x9999_99FF, 8, rect.x, rect.y, rect.width, rect.height)
    }

    /// Draws a border just inside the edges of a rectangle.
    package func frame(_ color: UInt32, _ rect: ViewRect, radius: Double = 0, line: Double) {
        tessera_draw_border(pointer, color, rect.x, rect.y, rect.width, rect.height, radius, line)
    }

    /// Draws one line of text in a widget's font.
    /// - Parameter alignment: From 0, left, to 1, right.
    package func write(
        _ text: String, _ color: UInt32, in rect: ViewRect, alignment: Double = 0.5, size: Double,
        for widget: ViewWidget
    ) {
        guard let object = widget.pointer else { return }
        tessera_draw_text(pointer, object, text, color, rect.x, rect.y, rect.width, alignment, size)
    }

    /// Draws several lines around a rectangle's centre, as many as fit, in a widget's font.
    package func writeMessage(_ text: String, _ color: UInt32, in rect: ViewRect, size: Double, for widget: ViewWidget)
    {
        guard let object = widget.pointer, rect.width > 0, rect.height > 0 else { return }
        tessera_draw_message(pointer, object, text, color, rect.x, rect.y, rect.width, rect.height, size)
    }

    /// Clips the drawing of `body` to `rect`.
    package func clipped(to rect: ViewRect, radius: Double = 0, _ body: () -> Void) {
        tessera_push_clip(pointer, rect.x, rect.y, rect.width, rect.height, radius)
        body()
        tessera_pop(pointer)
    }

    /// Draws `body` with an opacity.
    package func opacity(_ opacity: Double, _ body: () -> Void) {
        guard opacity < 1 else { return body() }
        tessera_push_opacity(pointer, opacity)
        body()
        tessera_pop(pointer)
    }

    /// Cross-fades from the drawing of `first` to that of `second`.
    package func crossFade(_ progress: Double, from first: () -> Void, to second: () -> Void) {
        tessera_push_cross_fade(pointer, progress)
        first()
        tessera_pop(pointer)
        second()
        tessera_pop(pointer)
    }

    /// Draws a texture of pixels stored in `orientation`, turned upright, so that it fills `rect`.
    package func draw(_ texture: Texture, in rect: ViewRect, turned orientation: Orientation) {
        guard orientation != .up else { return draw(texture, in: rect) }
        // The positions of two stored pixels, the first and the one below, determine the transformation.
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
