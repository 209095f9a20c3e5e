using System.Buffers;
using System.IO.Pipelines;
using System.Security.Cryptography.X509Certificates;
using System.Net.Security;

namespace Ioxide.Tls.Tests;

/// <summary>
/// Spoilt input from a seed, without sockets: a session's reader over memory, and handshakes between two objects. Whatever comes, the
/// answer is an end or a <see cref="TlsException"/>, and no byte is delivered that the peer did not send.
/// </summary>
/// <remarks>Takes 6 s: a million spoilt messages in Release.</remarks>
public class MutationTests
{
#if DEBUG
    private const int RecordCases = 40_000;
    private const int HandshakeCases = 400;
#else
    private const int RecordCases = 992_000;
    private const int HandshakeCases = 8_000;
#endif

    private const ulong FirstNumber = 7;

    /// <summary>Two records of data with bytes changed, dropped, inserted, cut off or repeated.</summary>
    [Fact]
    public void SpoiltRecordsDeliverNothingThatWasNotSent()
    {
        int seed = Environment.TickCount;
        Random random = new(seed);
        foreach (RecordPair pair in RecordPair.OfEachShape())
        {
            using (pair)
            {
                byte[] data = Payload.Of(90);
                byte[] stream =
                [
                    .. pair.Seal(FirstNumber, RecordType.ApplicationData, data.AsSpan(0, 60)),
                    .. pair.Seal(FirstNumber + 1, RecordType.ApplicationData, data.AsSpan(60)),
                ];
                for (int round = 0; round < RecordCases / 8; round++)
                {
                    byte[] spoilt = Spoiler.Spoil(stream, random);
                    ReaderRun run = ReaderRun.Of(pair, FirstNumber, spoilt);
                    string place = $"seed {seed}, {pair.Suite.Id}, round {round}";
                    Assert.True(data.AsSpan().StartsWith(run.Data.Span), place);
                    Assert.True(run.Failure is TlsFailure.Protocol or TlsFailure.BadRecord or TlsFailure.Truncated, $"{place}: {run.Failure}");
                    Assert.True(run.ToldFailures == 1, place);
                }
            }
        }
    }

    /// <summary>Alerts and handshake messages with right keys and wrong contents.</summary>
    [Fact]
    public void SpoiltMessagesEndTheSessionOrAreUnderstood()
    {
        int seed = Environment.TickCount;
        Random random = new(seed);
        byte[][] templates = [[24, 0, 0, 1, 0], [24, 0, 0, 1, 1], [1, 0], [2, 40], [4, 0, 0, 3, 1, 2, 3], [1, 0, 0, 2, 3, 3], [0, 0, 0, 0], []];
        RecordType[] types = [RecordType.Handshake, RecordType.Alert, RecordType.ChangeCipherSpec, RecordType.ApplicationData, 0];
        foreach (Func<RecordPair> make in RecordPair.Shapes)
        {
            RecordPair pair = make();
            for (int round = 0; round < RecordCases / 8; round++)
            {
                byte[] content = templates[random.Next(templates.Length)];
                RecordType type = random.Next(4) == 0 ? types[random.Next(types.Length)] : content is [1 or 2, _] ? RecordType.Alert : RecordType.Handshake;
                content = random.Next(4) == 0 || content.Length == 0 ? content : Spoiler.Spoil(content, random);
                byte[] stream = [.. pair.Seal(FirstNumber, type, content), .. pair.Seal(FirstNumber + 1, RecordType.ApplicationData, [1, 2, 3])];
                ReaderRun run = ReaderRun.Of(pair, FirstNumber, stream);
                string place = $"seed {seed}, {pair.Suite.Id}, round {round}: {type} {Convert.ToHexString(content)}";
                Assert.True(
                    run.Failure is null or TlsFailure.Protocol or TlsFailure.BadRecord or TlsFailure.PeerAlert or TlsFailure.Truncated,
                    $"{place}: {run.Failure}");
                Assert.True(run.ToldFailures == (run.Failure is null ? 0 : 1), place);

                // Of a record without a type of its own, the content's last byte is taken for it.
                Assert.True(run.Failure is not null || type is RecordType.Alert or 0, $"{place}: an end that nobody said");
                if (run.HasNewKeys)
                {
                    pair.Dispose();
                    pair = make();
                }
            }

            pair.Dispose();
        }
    }

    /// <summary>One record of the client's part of a handshake is spoilt; it fails, goes on waiting, or did not need those bytes.</summary>
    [Theory, Each(System.Security.Authentication.SslProtocols.Tls12, System.Security.Authentication.SslProtocols.Tls13)]
    public void SpoiltHandshakesFailAlone(System.Security.Authentication.SslProtocols protocol)
    {
        int seed = Environment.TickCount;
        Random random = new(seed);
        using MemoryHandshake handshake = new(protocol);
        Assert.Null(handshake.Run(static (_, flight) => flight));
        for (int round = 0; round < HandshakeCases / 2; round++)
        {
            int target = random.Next(2);
            TlsFailure? failure = handshake.Run((number, flight) => number == target ? Spoiler.Spoil(flight, random) : flight);
            Assert.True(
                failure is null or TlsFailure.Protocol or TlsFailure.Handshake or TlsFailure.PeerAlert or TlsFailure.Truncated,
                $"seed {seed}, round {round}: {failure}");
        }

        Assert.Null(handshake.Run(static (_, flight) => flight));
    }
}
