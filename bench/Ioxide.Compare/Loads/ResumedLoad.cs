using System.Collections.Concurrent;

namespace Ioxide.Compare.Loads;

/// <summary>A load whose TLS sessions are resumed, as wrk does by itself. Asks each server first whether it resumes each one.</summary>
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
        // wrk shows a ticket once (RFC 8446, appendix C.4), so each resumed session has to bring the next one. The ticket comes behind
        // the handshake: a client has it when it has read the answer.
        const int Generations = 2;
        string file = Path.GetTempFileName();
        try
        {
            string output = await AskAsync(port, $"-sess_out {file}", cancellation);
            for (int generation = 0; generation < Generations; generation++)
            {
                string ticket = await File.ReadAllTextAsync(file, cancellation);
                output = await AskAsync(port, $"-sess_in {file} -sess_out {file}", cancellation);
                if (!output.Contains("Reused, TLSv1.3", StringComparison.Ordinal))
                {
                    throw new RefusedException($"the server resumes no session: {output}");
                }

                if (await File.ReadAllTextAsync(file, cancellation) == ticket)
                {
                    throw new RefusedException("the server gives a resumed session no ticket: every second handshake would be a full one");
                }
            }
        }
        finally
        {
            File.Delete(file);
        }
    }

    private async Task<string> AskAsync(int port, string sessions, CancellationToken cancellation)
    {
        string script = $"printf 'GET {path} HTTP/1.0\\r\\n\\r\\n' | openssl s_client -connect 127.0.0.1:{port} -tls1_3 -ign_eof {sessions}";
        CommandOutput output = await CommandRunner.RunAsync("bash", ["-c", script], LoadTarget.Grace, cancellation);
        return output.Error + output.Output;
    }
}
