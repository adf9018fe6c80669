import ImageLoading
import Testing

@Suite("The retry policy")
struct RetryPolicyTests {
    private let policy = RetryPolicy()

    private func status(_ code: Int, _ headers: HTTPHeaders = HTTPHeaders()) -> DataLoadingError {
        .status(DataResponse(url: nil, statusCode: code, headers: headers))
    }

    private func delay(_ error: any Error, attempt: Int = 1, random: Double = 0.5) -> Duration? {
        policy.delay(after: error, attempt: attempt, time: 784_111_777, random: random)
    }

    @Test("Busy and failing servers are asked again")
    func triesBusyAndFailingServersAgain() {
        for code in [408, 429, 500, 502, 503, 504] { #expect(delay(status(code)) == .milliseconds(250)) }
        for code in [204, 301, 304, 400, 401, 403, 404, 410, 416, 501, 505] { #expect(delay(status(code)) == nil) }
        #expect(delay(DataLoadingError.unauthorized(DataResponse(url: nil, statusCode: 401))) == nil)
    }

    @Test("Lost connections are retried")
    func triesLostConnectionsAgain() {
        let reasons: [(DataTransportFailure.Reason, Bool)] = [
            (.cannotConnect, true), (.timedOut, true), (.connectionLost, true), (.insecure, false),
            (.tooManyRedirects, false), (.proxy, false), (.invalidResponse, false), (.invalidRequest, false),
        ]
        for (reason, isRetried) in reasons {
            #expect((delay(DataLoadingError.transport(DataTransportFailure(reason, ""))) != nil) == isRetried)
        }
        #expect(delay(DataLoadingError.truncated(expected: 2, received: 1)) != nil)
        #expect(delay(DataLoadingError.tooLarge(maximumByteCount: 1)) == nil)
        #expect(delay(DataLoadingError.unsupportedURL("")) == nil)
        #expect(delay(CancellationError()) == nil)
        struct Own: Error {}
        #expect(delay(Own()) == nil)
        #expect(RetryPolicy(isRetryable: { $0 is Own }).delay(after: Own(), attempt: 1, time: 0, random: 1) != nil)
    }

    @Test("The delay is a random part of a time that doubles")
    func waitsARandomPartOfADoublingTime() {
        let patient = RetryPolicy(maximumAttempts: .max, baseDelay: .seconds(1), maximumDelay: .seconds(10))
        let longest = [1, 2, 3, 4, 5, 100, Int.max - 1].map {
            patient.delay(after: status(503), attempt: $0, time: 0, random: 1)
        }
        #expect(longest == [1, 2, 4, 8, 10, 10, 10].map { .seconds($0) })
        #expect(patient.delay(after: status(503), attempt: 3, time: 0, random: 0) == .zero)
        #expect(patient.delay(after: status(503), attempt: 3, time: 0, random: 0.25) == .seconds(1))
    }

    @Test("Retrying stops after the maximum number of attempts")
    func stopsAfterItsAttempts() {
        #expect(delay(status(503), attempt: 2) != nil && delay(status(503), attempt: 3) == nil)
        #expect(RetryPolicy.never.delay(after: status(503), attempt: 1, time: 0, random: 0) == nil)
    }

    @Test(
        "Retry-After sets the delay",
        arguments: [
            ("5", 5), (" 60 ", 60), ("0", 0), ("Sun, 06 Nov 1994 08:49:47 GMT", 10),
            ("Sun, 06 Nov 1994 08:49:27 GMT", 0),
            // More than anybody waits.
            ("61", nil), ("99999999999999999999999", nil), ("Sun, 06 Nov 2094 08:49:47 GMT", nil),
        ] as [(String, Int?)])
    func waitsAsLongAsAskedTo(value: String, seconds: Int?) {
        for code in [429, 503] {
            #expect(delay(status(code, ["Retry-After": value])) == seconds.map { .seconds($0) })
        }
    }

    @Test("An invalid Retry-After is ignored")
    func ignoresAskingThatMakesNoSense() {
        for value in ["", "soon", "-1", "1.5"] {
            #expect(delay(status(503, ["Retry-After": value])) == .milliseconds(250))
        }
    }
}
