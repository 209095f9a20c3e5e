using System.Globalization;
using System.Net.Sockets;
using Ioxide.Compare.Jit;
using Ioxide.Compare.Loads;
using Ioxide.Compare.Servers;

namespace Ioxide.Compare.Measures;

/// <summary>Starts each side once and lists what its JIT compiles until some seconds after its first reply.</summary>
/// <remarks>The workload's load runs meanwhile. The runtime writes its trace in that time, so no time of such a run is one of the server.</remarks>
internal sealed class JitMeasure(Session session, TextWriter writer) : IMeasure
{
    private static readonly TimeSpan s_replyTimeout = TimeSpan.FromSeconds(60);

    public async Task RunAsync(CancellationToken cancellation)
    {
        foreach ((int number, Side side) in session.Sides.Index())
        {
            string path = TracePath(number);
            File.Delete(path);
            DateTime firstReply = await ServeAsync(Traced(side, path), ServerPorts.OfLaunch(number), cancellation);
            JitTrace trace = JitTrace.Read(path);
            JitReport.Print(writer, side.Name, trace.Methods, (firstReply - trace.Started).TotalMilliseconds, session.Options.JitSeconds);
            writer.WriteLine();
            Session.Note($"the trace of {side.Name} is {path}");
        }
    }

    /// <returns>When the first reply was there.</returns>
    private async Task<DateTime> ServeAsync(Side side, ServerPorts ports, CancellationToken cancellation)
    {
        using ServerProcess server = ServerProcess.Launch(
            side, ports, session.Command(side, ports, upstreamPort: 0), session.Options.ServerCpus);
        server.AwaitReply(() => TryAsk(ports), s_replyTimeout, cancellation);
        DateTime firstReply = DateTime.UtcNow;
        var watched = TimeSpan.FromSeconds(session.Options.JitSeconds);
        if (session.Workload.Load is { } load)
        {
            await load.RunAsync(new LoadTarget(ports, session.Workload.Endpoint, session.ConnectionCount, session.Layout), watched, cancellation);
        }
        else
        {
            await Task.Delay(watched, cancellation);
        }

        await server.WaitUntilReadyAsync(cancellation);
        await server.StopAsync(cancellation);
        return firstReply;
    }

    private bool TryAsk(ServerPorts ports)
    {
        try
        {
            OneRequest.Do(ports, session.Workload.Endpoint).Dispose();
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }

    private string TracePath(int number) => Path.Combine(
        session.Layout.ResultsFolder, string.Create(CultureInfo.InvariantCulture, $"jit-{session.Workload.Name}-{number}.nettrace"));

    private static Side Traced(Side side, string path)
        => side with { Environment = side.Environment.Concat(JitTrace.EnvironmentFor(path)).ToDictionary() };
}
