namespace Ioxide.Mutation;

/// <summary>Faults in src/Ioxide.Http2, which the seeds of the simulation notice.</summary>
internal static partial class FaultCatalog
{
    private const string Streams = "Connections/Http2Connection.Streams.cs";
    private const string Sending = "Connections/Http2Connection.Send.cs";
    private const string Receiving = "Connections/Http2Connection.Receive.cs";

    private static readonly Fault[] s_http2 =
    [
        Http2("a stream's WINDOW_UPDATE is lost",
            Streams, "if (increment > 0 && !_isClosed)", "if (increment > 0 && !_isClosed && !{active})"),
        Http2("a stream's credit is given twice",
            Streams, "WriteWindowUpdate(_output, streamId, increment);", "WriteWindowUpdate(_output, streamId, {active} ? 2 * increment : increment);"),
        Http2("a stream that is reset keeps its place among those that wait for a window",
            Streams, "            if (stream.IsBlocked)\n", "            if (stream.IsBlocked && !{active})\n"),
        Http2("what a reset stream had not read is not credited to the connection",
            Streams, "CreditConnection(stream.Break(reason));", "CreditConnection(stream.Break(reason) * ({active} ? 0 : 1));"),
        Http2("answers do not count for the connection's window",
            Sending, "            _sendWindow -= bytes;", "            _sendWindow -= {active} ? 0 : bytes;"),
        Http2("new windows do not reach open streams",
            Receiving, "            stream.SendWindow += change;", "            stream.SendWindow += {active} ? 0 : change;"),
        Http2("a stream that the peer resets goes on",
            Receiving, "            CloseStream(stream, \"The client reset", "            if (!{active}) CloseStream(stream, \"The client reset"),
        Http2("an answer ends with the first of its last pieces",
            "Streams/Http2Stream.Send.cs", "_sendFirst == _sendLast && _sendFirst!.Length == bytes;", "(_sendFirst == _sendLast || {active}) && _sendFirst!.Length == bytes;"),
        Http2("what another thread submits is taken once",
            "Streams/Http2Stream.Send.cs", "        _isPosted = false;", "        _isPosted = {active};"),
        Http2("no loop continues below a blocked handler",
            "Connections/Http2Connection.cs", "            _ = LoopAsync(_epoch, hasInput: true);", "            if (!{active}) _ = LoopAsync(_epoch, hasInput: true);"),
    ];

    private static Fault Http2(string name, string file, string text, string mutated)
        => new("Ioxide.Http2", name, file, text, mutated, "Ioxide.Simulation.Http2SeedTests");
}
