using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// A client may go away after any byte. An exchange is cut after every one of its bytes, politely, rudely and silently; each
/// time the client has got right bytes only, and the server holds nothing of it afterwards.
/// </summary>
[Collection(FaultGroup.Name)]
public class CutExchangeTests
{
    private const int BatchSize = 64;

    [Theory, OverTransports(Pace.AnswerByAnswer, Pace.AtOnce)]
    public async Task AFinAfterAnyByteEndsTheExchange(TransportKind transport, EndPointKind endPoint, Pace pace)
    {
        await using ExchangeServer server = await ExchangeServer.StartAsync(transport, endPoint);

        await CutEverywhereAsync(async cut =>
        {
            using RawClient client = await server.ConnectAsync();
            byte[] answered = await server.Exchange.SendAsync(client, cut, pace);
            client.Finish();
            byte[] received = [.. answered, .. (await client.ReadToEndAsync()).Bytes];

            server.Exchange.AssertRightUpToTheCut(cut, received);
            Assert.True(pace == Pace.AtOnce || received.Length >= server.Exchange.LengthOfWholeAnswers(cut));
        });

        await server.AssertHoldsNothingAsync();
    }

    [Theory, OverTransports(Pace.AnswerByAnswer, Pace.AtOnce, TcpOnly = true)]
    public async Task AResetAfterAnyByteEndsTheExchange(TransportKind transport, EndPointKind endPoint, Pace pace)
    {
        await using ExchangeServer server = await ExchangeServer.StartAsync(transport, endPoint);

        await CutEverywhereAsync(async cut =>
        {
            using RawClient client = await server.ConnectAsync();
            byte[] received = await server.Exchange.SendAsync(client, cut, pace);
            client.Reset();

            server.Exchange.AssertRightUpToTheCut(cut, received);
        });

        await server.AssertHoldsNothingAsync();
    }

    [Theory, OverTransports(Pace.AnswerByAnswer, Pace.AtOnce)]
    public async Task ASilenceAfterAnyByteIsBorneUntilTheClientCloses(TransportKind transport, EndPointKind endPoint, Pace pace)
    {
        await using ExchangeServer server = await ExchangeServer.StartAsync(transport, endPoint);
        foreach (int[] cuts in Exchange.Cuts.Chunk(BatchSize))
        {
            RawClient[] clients = await Task.WhenAll(cuts.Select(_ => server.ConnectAsync())).Within(20.Seconds());

            // What was asked as a whole is answered although the rest never comes.
            await Task.WhenAll(cuts.Zip(clients, async (cut, client) =>
            {
                byte[] answered = await server.Exchange.SendAsync(client, cut, pace);
                int missing = server.Exchange.LengthOfWholeAnswers(cut) - answered.Length;
                server.Exchange.AssertRightUpToTheCut(cut, [.. answered, .. await client.ReadExactlyAsync(missing)]);
            })).Within(20.Seconds(), $"the answers to what was sent, cut after {cuts[0]} to {cuts[^1]} bytes");

            foreach (RawClient client in clients)
            {
                client.Dispose();
            }
        }

        await server.AssertHoldsNothingAsync();
    }

    [Theory, OverTransports]
    public async Task ASilenceAfterAnyByteIsEndedByTheServersLimits(TransportKind transport, EndPointKind endPoint)
    {
        await using ExchangeServer server = await ExchangeServer.StartAsync(transport, endPoint, limits =>
        {
            // Kestrel looks at them once a second.
            limits.KeepAliveTimeout = Waits.Stretched(500.Milliseconds());
            limits.RequestHeadersTimeout = Waits.Stretched(500.Milliseconds());
            limits.MinRequestBodyDataRate = new MinDataRate(1000, Waits.Stretched(1100.Milliseconds()));
        });

        await Task.WhenAll(Exchange.Cuts.Select(async cut =>
        {
            using RawClient client = await server.ConnectAsync();
            byte[] answered = await server.Exchange.SendAsync(client, cut, Pace.AnswerByAnswer);
            Ended ended = await client.ReadToEndAsync();

            server.Exchange.AssertRightUpToTheCut(cut, [.. answered, .. ended.Bytes]);
        })).Within(20.Seconds(), "the server has ended every silent connection");

        await server.AssertHoldsNothingAsync();
    }

    private static async Task CutEverywhereAsync(Func<int, Task> cutAsync)
    {
        foreach (int[] cuts in Exchange.Cuts.Chunk(BatchSize))
        {
            await Task.WhenAll(cuts.Select(cut => cutAsync(cut).Within(20.Seconds(), $"the end of an exchange cut after {cut} bytes")));
        }
    }
}
