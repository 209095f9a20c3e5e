using System.Collections.Concurrent;

namespace Ioxide.Compare.Loads;

/// <summary>A load whose TLS sessions are resumed, as wrk does by itself. Asks each server first whether it resumes at all.</summary>
internal sealed class ResumedLoad(ILoad load, string path) : ILoad
{
    private readonly ConcurrentDictionary<int, bool> _checked = new();

    public async Task<LoadResult> RunAsync(LoadTarget target, TimeSpan duration, CancellationToken cancellation)
    {
        if (_checked.TryAdd(target.Ports.Https, true))
        {
            await CheckAsync(target.Ports.Https, cancellation);
        }

        return await load.RunAsync(target, duration, cancellation);
    }

    private async Task CheckAsync(int port, CancellationToken cancellation)
    {
        // The ticket comes behind the handshake: the first client keeps it when it reads the answer, the second shows it.
        string client = $"printf 'GET {path} HTTP/1.0\\r\\n\\r\\n' | openssl s_client -connect 127.0.0.1:{port} -tls1_3 -ign_eof";
        string script = $"file=$(mktemp) && {client} -sess_out $file; {client} -sess_in $file; rm -f $file";
        CommandOutput output = await CommandRunner.RunAsync("bash", ["-c", script], LoadTarget.Grace, cancellation);
        if (!output.Output.Contains("Reused, TLSv1.3", StringComparison.Ordinal))
        {
            throw new RefusedException($"the server resumes no session: {output.Error}{output.Output}");
        }
    }
}
