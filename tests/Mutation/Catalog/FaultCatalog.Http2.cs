namespace Ioxide.Mutation;

/// <summary>Faults in src/Ioxide.Http2. The seeds of the simulation notice those that name no class.</summary>
internal static partial class FaultCatalog
{
    private static readonly Fault[] s_http2 =
    [
        Http2("a stream's WINDOW_UPDATE is lost",
            "Http2Connection.CreditStream", "if (increment > 0 && !IsClosed)", "if (increment > 0 && !IsClosed && !{active})"),
        Http2("a stream's credit is given twice",
            "Http2Connection.CreditStream", "WriteWindowUpdate(Sender.Output, streamId, increment);", "WriteWindowUpdate(Sender.Output, streamId, {active} ? 2 * increment : increment);"),
        Http2("a stream that is reset keeps its place among those that wait for a window",
            "AnswerSender.Unblock", "if (stream.IsBlocked)", "if (stream.IsBlocked && !{active})"),
        Http2("what a reset stream had not read is not credited to the connection",
            "Http2Connection.CloseStream", "CreditConnection(stream.Break(reason, cause));", "CreditConnection(stream.Break(reason, cause) * ({active} ? 0 : 1));"),
        Http2("answers do not count for the connection's window",
            "AnswerSender.WriteAnswer", "_window -= bytes;", "_window -= {active} ? 0 : bytes;"),
        Http2("new windows do not reach open streams",
            "AnswerSender.ChangeWindows", "stream.SendWindow += change;", "stream.SendWindow += {active} ? 0 : change;"),
        Http2("a stream that the peer resets goes on",
            "FrameReceiver.OnRstStream", "connection.CloseStream(stream, \"The client reset the request stream.\"", "if (!{active}) connection.CloseStream(stream, \"The client reset the request stream.\""),
        Http2("an answer ends with the first of its last pieces",
            "Http2Stream.IsLastData", "Bytes.Ready == bytes", "(Bytes.Ready == bytes || {active})"),
        Http2("what another thread submits is taken once", "Http2Stream.TakePosted", "_isPosted = false;", "_isPosted = {active};"),
        Http2("no loop continues below a blocked handler",
            "ConnectionLoop.TakeOverFrom", "_ = RunAsync(_epoch, hasInput: true);", "if (!{active}) _ = RunAsync(_epoch, hasInput: true);"),
    ];

    private static Fault Http2(string name, string member, string code, string mutated, params string[] classes)
        => new("Ioxide.Http2", name, [(member, code, mutated)], classes is [] ? ["Ioxide.Simulation.Http2SeedTests"] : classes);
}
