#if GTK
public import ImageLoading
public import ImageViews
internal import Raster

/// A row of thumbnails, one of which is selected: `TesseraThumbnailStrip`. Only visible ones are loaded.
@MainActor
public final class ThumbnailStripWidget: ViewWidget {
    /// The request for the thumbnail at an index.
    public var request: (Int) -> ImageRequest? = { _ in nil }
    /// Called when a thumbnail is clicked.
    public var selected: (Int) -> Void = { _ in }
    /// The indices of several thumbnails that are marked, by clicks with Control and Shift; empty for the selected one alone.
    public private(set) var marks: Set<Int> = []
    /// Called when the marks have changed.
    public var marksChanged: () -> Void = {}
    /// Called at a point where a context menu is asked for, after the thumbnail there was selected.
    public var menuAsked: (ViewPoint) -> Void = { _ in }
    /// The number of thumbnails.
    public private(set) var count = 0
    /// The index of the selected thumbnail.
    public private(set) var selection = 0

    @MainActor
    private final class Cell {
        let model = ImageViewModel()
        let layer: PictureLayer
        init(_ layer: PictureLayer) { self.layer = layer }

        /// The image to draw; of a damaged file the part that is sound.
        var image: Image? {
            if case .failed(let error) = model.state, let part = error.partialContainer { return part.image }
            return model.image
        }
    }

    private var cells: [Int: Cell] = [:]
    private var offset = 0.0
    private var target = 0.0
    private var dragStart: Double?
    private var dragged = false

    private static let cell = ViewSize(width: 92, height: 68)
    private static let gap = 8.0
    private static let margin = 10.0

    override class var typeName: String { "TesseraThumbnailStrip" }
    override class var isList: Bool { true }

    /// Replaces all thumbnails by `count` new ones.
    public func setCount(_ count: Int, selection: Int) {
        for cell in cells.values { cell.model.reset() }
        cells = [:]
        self.count = count
        self.selection = selection
        target = place(of: selection)
        offset = target
        setMarks([])
        redraw()
    }

    /// Marks thumbnails.
    public func setMarks(_ marks: Set<Int>) {
        guard marks != self.marks else { return }
        self.marks = marks
        marksChanged()
        redraw()
    }

    /// Selects a thumbnail and scrolls to it.
    public func select(_ index: Int) {
        guard index != selection else { return }
        selection = index
        go(to: place(of: index))
    }

    private var length: Double {
        2 * Self.margin + Double(count) * (Self.cell.width + Self.gap) - (count > 0 ? Self.gap : 0)
    }

    /// The offset that centres a cell, as far as the row's ends allow.
    private func place(of index: Int) -> Double {
        let middle = Self.margin + Double(index) * (Self.cell.width + Self.gap) + Self.cell.width / 2
        return limited(middle - size.width / 2)
    }

    private func limited(_ offset: Double) -> Double {
        let room = length - size.width
        // A row shorter than the strip is centred.
        return room <= 0 ? room / 2 : min(max(0, offset), room)
    }

    private func go(to place: Double) {
        target = limited(place)
        guard GTKProgram.animates else {
            offset = target
            return redraw()
        }
        startTicking()
    }

    private func frame(of index: Int) -> ViewRect {
        ViewRect(
            x: Self.margin + Double(index) * (Self.cell.width + Self.gap) - offset,
            y: (size.height - Self.cell.height) / 2, width: Self.cell.width, height: Self.cell.height)
    }

    private var visible: Range<Int> {
        let step = Self.cell.width + Self.gap
        let first = Int(((offset - Self.margin) / step).rounded(.down))
        let last = Int(((offset + size.width) / step).rounded(.up))
        let lower = min(max(0, first), count)
        return lower..<max(lower, min(count, last + 1))
    }

    private func cell(_ index: Int) -> Cell {
        if let cell = cells[index] { return cell }
        let cell = Cell(
            PictureLayer { [weak self] in
                self?.startTicking()
                self?.redraw()
            })
        cells[index] = cell
        cell.model.show(request(index))
        follow { [weak self, weak cell] in
            guard self != nil, let cell else { return false }
            cell.layer.show(cell.image, transition: cell.model.transition)
            return true
        }
        return cell
    }

    override func resized() {
        target = place(of: selection)
        offset = target
    }

    override func measure(isVertical: Bool, for other: Double) -> (minimum: Double, natural: Double) {
        isVertical ? (Self.cell.height + 16, Self.cell.height + 16) : (0, length)
    }

    override func draw(on canvas: Canvas) {
        let visible = visible
        // A few beyond the edges are kept for scrolling back.
        let kept = (visible.lowerBound - 8)..<(visible.upperBound + 8)
        for (index, cell) in cells where !kept.contains(index) {
            cell.model.reset()
            cells[index] = nil
        }
        for index in visible {
            let frame = frame(of: index).snapped(scaleFactor)
            let cell = cell(index)
            canvas.opacity(index == selection || marks.contains(index) ? 1 : 0.72) {
                canvas.clipped(to: frame, radius: 6) {
                    canvas.fill(textColor & 0xFFFF_FF00 | 0x18, frame)
                    cell.layer.draw(on: canvas, in: frame, .cover, scaleFactor: scaleFactor)
                    if case .failed(let error) = cell.model.state, error.partialContainer == nil {
                        writeSign(of: error, in: frame, on: canvas)
                    }
                }
            }
            if index == selection || marks.contains(index) {
                let outline = ViewRect(
                    x: frame.x - 3, y: frame.y - 3, width: frame.width + 6, height: frame.height + 6)
                canvas.frame(0x2A8C_86FF, outline, radius: 8, line: index == selection ? 3 : 2)
            }
            if marks.contains(index) {
                let sign = ViewRect(x: frame.right - 24, y: frame.y + 4, width: 20, height: 20)
                canvas.fill(0x0F5E_59FF, sign, radius: 10)
                canvas.write(
                    "✓", 0xFFFF_FFFF, in: ViewRect(x: sign.x, y: sign.y + 2, width: 20, height: 16), size: 13,
                    for: self)
            }
        }
    }

    /// Draws a sign in place of a thumbnail: a neutral one if it was skipped because decoding would need too much
    /// memory.
    private func writeSign(of error: ImagePipeline.Error, in frame: ViewRect, on canvas: Canvas) {
        let isTooLarge = (error.underlying as? ImageError)?.code == .limitExceeded
        let line = ViewRect(x: frame.x, y: frame.center.y - 12, width: frame.width, height: 24)
        canvas.write(isTooLarge ? "…" : "!", textColor, in: line, size: 20, for: self)
    }

    override func tick(by time: Duration) -> Bool {
        let isFading = cells.values.reduce(false) { $1.layer.advance(by: time) || $0 }
        // The remaining distance falls to 1/e in a twelfth of a second.
        let share = min(1, time / .seconds(1) * 12)
        offset = abs(target - offset) < 0.5 ? target : offset + (target - offset) * share
        redraw()
        return isFading || offset != target
    }

    override func receive(_ input: WidgetInput) -> Bool {
        switch input.kind {
        case .scroll(let x, let y, let isFine):
            go(to: target + (x + y) * (isFine ? 1 : Self.cell.width + Self.gap))
        case .dragBegan:
            (dragStart, dragged) = (offset, false)
        case .dragged(let x, _):
            guard let dragStart, dragged || abs(x) > 6 else { return false }
            dragged = true
            offset = limited(dragStart - x)
            target = offset
            redraw()
        case .dragEnded:
            if !dragged { click(input.point, input.modifiers) }
            dragStart = nil
        case .menu:
            guard let index = index(at: input.point) else { return false }
            if !marks.contains(index) { click(input.point, []) }
            menuAsked(input.point)
        default: return false
        }
        return true
    }

    private func index(at point: ViewPoint) -> Int? { visible.first { frame(of: $0).contains(point) } }

    /// Selects a thumbnail; with Control its mark changes, and with Shift all from the selected one on are marked.
    private func click(_ point: ViewPoint, _ modifiers: GTKEvent.Modifiers) {
        guard let index = index(at: point) else { return }
        if modifiers.contains(.shift) {
            setMarks(marks.union(min(index, selection)...max(index, selection)))
        } else if modifiers.contains(.control) {
            setMarks((marks.isEmpty ? [selection] : marks).symmetricDifference([index]))
        } else {
            setMarks([])
            selected(index)
        }
    }

    override func disposed() {
        for cell in cells.values { cell.model.reset() }
        cells = [:]
    }
}
#endif
