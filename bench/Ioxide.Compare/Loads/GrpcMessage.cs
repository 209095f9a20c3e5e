using System.Buffers.Binary;
using System.Net;

namespace Ioxide.Compare.Loads;

/// <summary>One call of the load host's gRPC service: 16 bytes that ask for a number of answers. Asked once as a check.</summary>
/// <param name="path">The method.</param>
/// <param name="answerCount">Number of messages in the answer.</param>
internal sealed class GrpcMessage(string path, int answerCount) : ICheck
{
    private const int LengthBytes = 16;

    /// <summary>A flag, a length and the message. Source: PROTOCOL-HTTP2.md of gRPC.</summary>
    private const int PrefixBytes = 5;

    internal byte[] Framed { get; } = Frame(answerCount);

    public async Task AskAsync(LoadTarget target, CancellationToken cancellation)
    {
        string url = target.Url(path);
        using var request = new HttpRequestMessage(HttpMethod.Post, url)
        {
            Version = HttpVersion.Version20,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Content = new ByteArrayContent(Framed) { Headers = { ContentType = new("application/grpc") } },
        };
        request.Headers.TE.ParseAdd("trailers");
        try
        {
            using HttpResponseMessage answer = (await DriverClient.Instance.SendAsync(request, cancellation)).EnsureSuccessStatusCode();
            byte[] body = await answer.Content.ReadAsByteArrayAsync(cancellation);
            string status = answer.TrailingHeaders.TryGetValues("grpc-status", out IEnumerable<string>? values) ? string.Join(',', values) : "none";
            if (body.Length != answerCount * Framed.Length || status != "0")
            {
                throw new RefusedException($"{url} answered with {body.Length} bytes and grpc-status {status}");
            }
        }
        catch (HttpRequestException exception)
        {
            throw new RefusedException($"{url}: {exception.Message}");
        }
    }

    private static byte[] Frame(int count)
    {
        byte[] framed = new byte[PrefixBytes + LengthBytes];
        framed[PrefixBytes - 1] = LengthBytes;
        BinaryPrimitives.WriteInt32LittleEndian(framed.AsSpan(PrefixBytes), count);
        return framed;
    }
}
