namespace Ioxide.Compare.Loads;

/// <summary>Each TLS session that the server resumes brings a ticket for the next one.</summary>
/// <param name="path">What each session asks for.</param>
internal sealed class Resumption(string path) : ICheck
{
    public async Task AskAsync(LoadTarget target, CancellationToken cancellation)
    {
        // wrk shows a ticket once (RFC 8446, appendix C.4), so each resumed session has to bring the next one. The ticket comes behind
        // the handshake: a client has it when it has read the answer.
        const int Generations = 2;
        int port = target.Ports.Https;
        string file = Path.GetTempFileName();
        try
        {
            string output = await ConnectAsync(port, $"-sess_out {file}", cancellation);
            for (int generation = 0; generation < Generations; generation++)
            {
                string ticket = await File.ReadAllTextAsync(file, cancellation);
                output = await ConnectAsync(port, $"-sess_in {file} -sess_out {file}", cancellation);
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

    private async Task<string> ConnectAsync(int port, string sessions, CancellationToken cancellation)
    {
        string script = $"printf 'GET {path} HTTP/1.0\\r\\n\\r\\n' | openssl s_client -connect 127.0.0.1:{port} -tls1_3 -ign_eof {sessions}";
        CommandOutput output = await CommandRunner.RunAsync("bash", ["-c", script], LoadTarget.Grace, cancellation);
        return output.Error + output.Output;
    }
}
