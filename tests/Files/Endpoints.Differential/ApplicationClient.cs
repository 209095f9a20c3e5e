using System.Net;
using System.Net.Sockets;

namespace Ioxide.Files.Tests;

/// <summary>Asks one port: several requests at once over one connection, which is opened again where the server has ended it.</summary>
internal sealed class ApplicationClient(IPEndPoint endPoint) : IDisposable
{
    private RawClient? _client;

    /// <summary>Sends all and reads their answers. What was sent behind an answer that ends the connection is sent again on the next one.</summary>
    internal async Task<ApplicationAnswer[]> AskAsync(IReadOnlyList<ApplicationRequest> requests, IReadOnlyList<string> texts)
    {
        var answers = new ApplicationAnswer[requests.Count];
        for (int done = 0; done < requests.Count;)
        {
            bool isFresh = _client is null;
            _client ??= await RawClient.ConnectAsync(endPoint);
            int before = done;
            try
            {
                await _client.SendAsync(string.Concat(texts.Skip(done)));
                for (bool isOpen = true; isOpen && done < requests.Count;)
                {
                    ApplicationAnswer answer = ApplicationAnswer.Of(await _client.ReadResponseAsync(requests[done].IsHead));
                    answers[done++] = answer;
                    isOpen = !answer.IsLast;
                }
            }
            catch (Exception exception) when (exception is EndOfStreamException or SocketException)
            {
                if (isFresh && done == before)
                {
                    answers[done++] = ApplicationAnswer.None($"The connection ended without an answer: {exception.GetType().Name}.");
                }

                Close();
                continue;
            }

            if (answers[done - 1].IsLast || requests[done - 1].IsLast)
            {
                Close();
            }
        }

        return answers;
    }

    public void Dispose() => Close();

    private void Close()
    {
        _client?.Dispose();
        _client = null;
    }
}
