namespace Ioxide.Files.Tests;

/// <summary>A request that a port answers otherwise than stock Kestrel.</summary>
/// <param name="Port">Which port.</param>
internal sealed record ApplicationDifference(
    GeneratedApplication Application, ApplicationPort Port, int Number, string Request, ApplicationAnswer Expected, ApplicationAnswer Actual)
{
    public override string ToString()
        => $"application {Application.Seed}, request {Number}, port {Port} (repeat: {ApplicationRun.Variable}={Application.Seed}:1)\n"
            + $"  {Application}\n  request: {Request.ReplaceLineEndings("\n    ").Trim()}\n"
            + $"  stock answers: {Expected}\n  {Port} answers: {Actual}\n";
}
