#if Observability && Server
internal import Instrumentation
internal import Tracing
#endif

/// Spans of the work for a request, for the tracer that the program has bootstrapped with `InstrumentationSystem`.
///
/// Without a tracer, or without the package trait `Observability`, the work is called and nothing else.
enum ServiceTrace {
    /// The name and the attributes of a span.
    struct Name: Sendable, ExpressibleByStringLiteral {
        let text: String
        /// By names of OpenTelemetry's semantic conventions where there are such.
        var attributes: [String: String] = [:]

        init(_ text: String, _ attributes: [String: String] = [:]) {
            self.text = text
            self.attributes = attributes
        }

        init(stringLiteral text: String) { self.text = text }
    }

    /// Performs `body` in a span, which has the error that it throws.
    static func span<Value: Sendable, Failure: Error>(
        _ name: @autoclosure () -> Name, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        #if Observability && Server
        guard isOn else { return try await body() }
        let span = start(name())
        defer { span.end() }
        let result = await InstrumentationContext.$current.withValue(span.context) { await Result(of: body) }
        if case .failure(let error) = result { span.recordError(error) }
        return try result.get()
        #else
        return try await body()
        #endif
    }

    /// Performs synchronous `body` in a span, which has the error that it throws.
    static func span<Value, Failure: Error>(
        _ name: @autoclosure () -> Name, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        #if Observability && Server
        guard isOn else { return try body() }
        let span = start(name())
        defer { span.end() }
        do throws(Failure) {
            return try body()
        } catch {
            span.recordError(error)
            throw error
        }
        #else
        return try body()
        #endif
    }

    #if Observability && Server
    /// Whether the program has a tracer.
    static var isOn: Bool { !(InstrumentationSystem.tracer is NoOpTracer) }

    private static func start(_ name: Name) -> any Span {
        let span = startSpan(name.text)
        for (key, value) in name.attributes { span.attributes[key] = value }
        return span
    }

    /// Performs `body` in the span of a request, whose parent the client's fields name (W3C Trace Context, if the tracer
    /// reads that).
    static func request(
        _ request: ServiceRequest, _ body: () async -> ServiceResponse
    ) async -> ServiceResponse {
        guard isOn else { return await body() }
        var context = InstrumentationContext.topLevel
        InstrumentationSystem.instrument.extract(request, into: &context, using: Fields())
        let path = request.target.prefix { $0 != "?" }
        let route = (try? URLPath(path)).flatMap { Route.matching($0.rawSegments) }?.description
        let span = startSpan("\(request.method.rawValue) \(route ?? "")", context: context, ofKind: .server)
        defer { span.end() }
        span.attributes["http.request.method"] = request.method.rawValue
        span.attributes["url.path"] = String(path)
        if let route { span.attributes["http.route"] = route }
        if let client = request.client { span.attributes["client.address"] = client }
        let response = await InstrumentationContext.$current.withValue(span.context) { await body() }
        span.attributes["http.response.status_code"] = response.status
        if let failure = response.failure, response.status >= 500 {
            span.setStatus(SpanStatus(code: .error, message: failure.message))
        }
        return response
    }

    /// Reads a request's header fields.
    private struct Fields: Extractor {
        func extract(key: String, from request: ServiceRequest) -> String? { request.field(key).first }
    }
    #else
    /// Performs `body`.
    static func request(
        _ request: ServiceRequest, _ body: () async -> ServiceResponse
    ) async -> ServiceResponse { await body() }
    #endif
}
