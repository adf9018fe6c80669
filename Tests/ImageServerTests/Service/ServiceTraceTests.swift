#if Observability && Server
import ImageServer
import InMemoryTracing
import Instrumentation
import TestSupport
import Testing
import Tracing

/// Spans of requests, for a tracer of the program's.
@Suite("Traces")
struct ServiceTraceTests {
    /// The spans of a request to a gallery with a disk cache, in their order of ending.
    private func spans(
        _ target: String, _ fields: [String: String] = [:], of gallery: Gallery
    ) async -> [FinishedInMemorySpan] {
        let tracer = InMemoryTracer()
        var request = ServiceRequest(.get, target)
        request.field = { name in fields[name].map { [$0] } ?? [] }
        let (service, asked) = (gallery.service, request)
        await withTracer(tracer) { _ = await service.respond(to: asked) }
        withExtendedLifetime(gallery) {}
        return tracer.finishedSpans
    }

    private func gallery() throws -> (Gallery, TemporaryFolder) {
        let cache = try TemporaryFolder()
        return (try Gallery { $0.cacheDirectory = cache.path }, cache)
    }

    @Test("A request has a span, and each step of its work one below it")
    func steps() async throws {
        let (gallery, cache) = try gallery()
        defer { withExtendedLifetime(cache) {} }
        let spans = await spans("/image/photo.png?w=20&saturation=0", of: gallery)
        #expect(
            spans.map(\.operationName)
                == ["cache read", "decode", "effects", "encode", "render", "cache write", "GET /image/**"])
        let request = try #require(spans.last)
        #expect(request.kind == .server && request.parentSpanID == nil)
        #expect(Set(spans.map(\.traceID)) == [request.traceID])
        for (name, parent) in [
            ("decode", "render"), ("encode", "render"), ("render", "GET /image/**"), ("cache read", "GET /image/**"),
        ] {
            let span = try #require(spans.first { $0.operationName == name })
            #expect(span.parentSpanID == spans.first { $0.operationName == parent }?.spanID, "\(name)")
        }
        #expect(request.attributes["http.request.method"]?.toSpanAttribute() == .string("GET"))
        #expect(request.attributes["url.path"]?.toSpanAttribute() == .string("/image/photo.png"))
        #expect(request.attributes["http.route"]?.toSpanAttribute() == .string("/image/**"))
        #expect("\(String(describing: request.attributes["http.response.status_code"]))".contains("200"))
        // From memory, there is nothing to do.
        let again = await self.spans("/image/photo.png?w=20&saturation=0", of: gallery)
        #expect(again.map(\.operationName) == ["GET /image/**"])
    }

    @Test("A tile, and a request that fails, have their spans too")
    func others() async throws {
        let (gallery, cache) = try gallery()
        defer { withExtendedLifetime(cache) {} }
        let tile = await spans("/iiif/3/photo.png/0,0,64,64/32,32/0/gray.jpg", of: gallery)
        #expect(
            tile.map(\.operationName)
                == ["cache read", "decode", "effects", "encode", "render", "cache write", "GET /iiif/**"])
        let failed = await spans("/image/missing.png", of: gallery)
        #expect(failed.map(\.operationName) == ["GET /image/**"] && failed[0].status == nil)
        #expect("\(String(describing: failed[0].attributes["http.response.status_code"]))".contains("404"))
        #expect(await spans("/nothing?secret=1", of: gallery).map(\.operationName) == ["GET "])
    }

    @Test("The client's fields reach the tracer, which finds the parent in them")
    func propagation() async throws {
        let (gallery, cache) = try gallery()
        defer { withExtendedLifetime(cache) {} }
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        let tracer = ParentTracer()
        var request = ServiceRequest(.get, "/healthz")
        request.field = { $0 == "traceparent" ? [parent] : [] }
        let (service, asked) = (gallery.service, request)
        await withTracer(tracer) { _ = await service.respond(to: asked) }
        withExtendedLifetime(gallery) {}
        #expect(tracer.memory.finishedSpans.first?.context.traceParent == parent)
    }

    @Test("Without a tracer the same is answered")
    func none() async throws {
        let (gallery, cache) = try gallery()
        defer { withExtendedLifetime(cache) {} }
        #expect(await gallery.get("/image/photo.png?w=20").status == 200)
    }
}

/// A tracer that reads W3C Trace Context and keeps spans in memory.
private struct ParentTracer: Tracer {
    let memory = InMemoryTracer()

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> InMemorySpan {
        memory.startSpan(
            operationName, context: context(), ofKind: kind, at: instant(), function: function, file: fileID, line: line
        )
    }

    func forceFlush() {}

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        context.traceParent = extractor.extract(key: "traceparent", from: carrier)
    }

    func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {}
}

extension InstrumentationContext {
    private enum TraceParent: InstrumentationContextKey {
        typealias Value = String
    }

    fileprivate var traceParent: String? {
        get { self[TraceParent.self] }
        set { self[TraceParent.self] = newValue }
    }
}
#endif
