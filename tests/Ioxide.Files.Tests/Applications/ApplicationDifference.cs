namespace Ioxide.Files.Tests;

/// <summary>A request that a port answers otherwise than stock Kestrel.</summary>
/// <param name="Port">Which port.</param>
internal sealed record ApplicationDifference(
    GeneratedApplication Application, ApplicationPort Port, int Number, string Request, ApplicationAnswer Expected, ApplicationAnswer Actual)
{
    private const int MaxRequestLines = 30;

    /// <summary>In short, so that differences of one cause fall together.</summary>
    internal string Kind => $"{Port}: {Expected.Status} by {Expected.Decided?.Split("; ")[0] ?? "the server"} became {Actual.Status} "
        + $"by {Actual.Decided?.Split("; ")[0] ?? (Port == ApplicationPort.Front ? "the door or the server" : "the server")}";

    public override string ToString()
        => $"application {Application.Seed}, request {Number}, port {Port} (repeat: {ApplicationRun.Variable}={Application.Seed}:1)\n"
            + $"  {Application}\n  request: {string.Join("\n    ", Request.TrimEnd().Split("\r\n").Take(MaxRequestLines))}\n"
            + $"  stock answers: {Expected}\n  {Port} answers: {Actual}\n";
}
