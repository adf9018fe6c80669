#if GTK
internal import CTesseraGTK
internal import ImageViews
internal import Platform

extension ViewWidget {
    private static let kinds: [ViewWidget.Type] = [
        ImageWidget.self, EffectImageWidget.self, AnimatedImageWidget.self, ZoomableImageWidget.self,
        ThumbnailStripWidget.self,
    ]
    private static var isRegistered = false

    /// Registers the widget types with GTK, once.
    static func registerAll() {
        guard !isRegistered else { return }
        isRegistered = true
        // GTK's types are never unregistered, so their data is never freed.
        let functions = UnsafeMutablePointer<tessera_widget_functions>.allocate(capacity: 1)
        functions.initialize(to: widgetFunctions)
        for (index, kind) in kinds.enumerated() {
            let properties = UnsafeMutableBufferPointer<tessera_property>.allocate(capacity: kind.properties.count)
            for (place, property) in kind.properties.enumerated() {
                properties.initializeElement(at: place, to: tessera_property(property))
            }
            tessera_register(
                Int32(index), strdup(kind.typeName), kind.isList ? TESSERA_ROLE_LIST : TESSERA_ROLE_PICTURE,
                kind.clips, properties.baseAddress, Int32(kind.properties.count), functions)
        }
    }

    fileprivate static func make(kind: Int, _ pointer: OpaquePointer) -> ViewWidget { kinds[kind].init(pointer) }
}

extension tessera_property {
    fileprivate init(_ property: WidgetProperty) {
        // The name is never freed, like the type.
        switch property {
        case .number(let name, let range, let standard):
            self.init(
                name: strdup(name), kind: TESSERA_NUMBER, minimum: range.lowerBound, maximum: range.upperBound,
                standard: standard)
        case .flag(let name, let standard):
            self.init(name: strdup(name), kind: TESSERA_FLAG, minimum: 0, maximum: 1, standard: standard ? 1 : 0)
        case .text(let name):
            self.init(name: strdup(name), kind: TESSERA_TEXT, minimum: 0, maximum: 0, standard: 0)
        }
    }
}

/// Calls `body` with the widget of `context` on the main actor; GTK calls on the main thread.
private func enter<Result: Sendable>(
    _ context: UnsafeMutableRawPointer?, _ body: @MainActor (ViewWidget) -> Result
) -> Result {
    let context = OnMainThread(context!)
    tessera_enter()
    defer { tessera_leave() }
    return MainActor.assumeIsolated {
        // Valid: only `release` gives back the reference taken by `make`, and C makes no calls after that.
        body(Unmanaged<ViewWidget>.fromOpaque(context.value).takeUnretainedValue())
    }
}

private let widgetFunctions = tessera_widget_functions(
    make: { kind, pointer in
        let pointer = OnMainThread(pointer!)
        return MainActor.assumeIsolated {
            OnMainThread(Unmanaged.passRetained(ViewWidget.make(kind: Int(kind), pointer.value)).toOpaque())
        }.value
    },
    release: { context in
        let context = OnMainThread(context!)
        MainActor.assumeIsolated {
            // Balances `make`; C's last use of it.
            Unmanaged<ViewWidget>.fromOpaque(context.value).takeRetainedValue().dispose()
        }
    },
    snapshot: { context, canvas, _, _ in
        let canvas = OnMainThread(canvas!)
        enter(context) { $0.draw(on: Canvas(canvas.value)) }
    },
    measure: { context, isVertical, other, minimum, natural in
        let lengths = enter(context) { $0.measure(isVertical: isVertical, for: Double(other)) }
        minimum?.pointee = Int32(min(10_000, max(0, lengths.minimum.rounded(.up))))
        natural?.pointee = Int32(min(10_000, max(0, lengths.natural.rounded(.up))))
    },
    allocate: { context, width, height in
        enter(context) { $0.lay(out: ViewSize(width: Double(width), height: Double(height))) }
    },
    scaled: { context in enter(context) { $0.scaleFactorChanged() } },
    unrealize: { context in enter(context) { $0.hidden() } },
    input: { context, input in
        guard let input = input?.pointee else { return false }
        return enter(context) { $0.receive(WidgetInput(input)) }
    },
    tick: { context, time in enter(context) { $0.tick(at: time) } },
    set_number: { context, property, value in enter(context) { $0.setNumber(Int(property), value) } },
    set_text: { context, property, value in
        let text = value.map { String(cString: $0) } ?? ""
        enter(context) { $0.setText(Int(property), text) }
    },
    get_number: { context, property in enter(context) { $0.number(Int(property)) } },
    get_text: { context, property in strdup(enter(context) { $0.text(Int(property)) }) })
#endif
