namespace Ioxide.Files.Tests;

/// <summary>A request that the ring answers otherwise than stock Kestrel.</summary>
internal sealed record ApplicationDifference(
    GeneratedApplication Application, int Number, string Request, ApplicationAnswer Expected, ApplicationAnswer Actual)
{
    private const int MaxRequestLines = 30;

    /// <summary>In short, so that differences of one cause fall together.</summary>
    internal string Kind => $"{Expected.Status} by {Expected.Decided?.Split("; ")[0] ?? "the server"} became {Actual.Status} "
        + $"by {Actual.Decided?.Split("; ")[0] ?? "the server"}";

    public override string ToString()
        => $"application {Application.Seed}, request {Number} (repeat: {ApplicationRun.Variable}={Application.Seed}:1)\n"
            + $"  {Application}\n  request: {string.Join("\n    ", Request.TrimEnd().Split("\r\n").Take(MaxRequestLines))}\n"
            + $"  stock answers: {Expected}\n  the ring answers: {Actual}\n";
}
