using System.Net.Sockets;
using System.Text;

namespace Ioxide.Tests;

/// <summary>
/// <c>samples/Redis</c> answers what a client of Redis sends, however the bytes are cut, and ends connections that break its limits. The
/// expected answers are those of the protocol's description (RESP2).
/// </summary>
[Once]
public class RedisSampleTests
{
    private const int Descriptors = 256;
    private const string Commands =
        "*1\r\n$4\r\nPING\r\n*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$6\r\na\r\nb\0\xff\r\n*2\r\n$3\r\nget\r\n$1\r\nk\r\n*2\r\n$4\r\nINCR\r\n$1\r\nn\r\n"
        + "*2\r\n$4\r\nINCR\r\n$1\r\nn\r\n*2\r\n$4\r\nINCR\r\n$1\r\nk\r\n*4\r\n$3\r\nDEL\r\n$1\r\nk\r\n$1\r\nn\r\n$4\r\nnone\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"
        + "*3\r\n$6\r\nEXPIRE\r\n$1\r\nk\r\n$1\r\n9\r\n*1\r\n$4\r\nNOPE\r\n";

    private const string Answers =
        "+PONG\r\n+OK\r\n$6\r\na\r\nb\0\xff\r\n:1\r\n:2\r\n-ERR value is not an integer or out of range\r\n:2\r\n$-1\r\n:0\r\n"
        + "-ERR unknown command or wrong arguments\r\n";

    [Fact]
    public async Task AnswersPipelinedCommandsInTheirOrder()
    {
        await using SampleProcess server = await SampleProcess.StartAsync(Descriptors, isTiered: true, "Redis");
        using Socket client = await RawSocket.ConnectAsync(server.EndPoint);
        const int Rounds = 500;
        Task sending = client.SendAllAsync(Bytes(string.Concat(Enumerable.Repeat(Commands, Rounds))));

        Assert.Equal(string.Concat(Enumerable.Repeat(Answers, Rounds)), await ReceiveAsync(client, Answers.Length * Rounds));
        await sending.Within(20.Seconds());
    }

    [Fact]
    public async Task AnswersCommandsThatAreCutAnywhere()
    {
        await using SampleProcess server = await SampleProcess.StartAsync(Descriptors, isTiered: true, "Redis");
        using Socket client = await RawSocket.ConnectAsync(server.EndPoint);
        byte[] bytes = Bytes(Commands);

        // Each first part ends with whole commands, whose answers say that it has arrived alone.
        for (int cut = 1; cut < bytes.Length; cut++)
        {
            await client.SendAllAsync(bytes.AsMemory(0, cut));
            string early = await ReceiveAsync(client, AnswersTo(cut));
            await client.SendAllAsync(bytes.AsMemory(cut));
            Assert.Equal(Answers, early + await ReceiveAsync(client, Answers.Length - early.Length));
        }
    }

    [Fact]
    public async Task AnswersCommandsThatComeByteByByte()
    {
        await using SampleProcess server = await SampleProcess.StartAsync(Descriptors, isTiered: true, "Redis");
        using Socket client = await RawSocket.ConnectAsync(server.EndPoint);
        foreach (byte single in Bytes(Commands))
        {
            await client.SendAllAsync(new[] { single });
        }

        Assert.Equal(Answers, await ReceiveAsync(client, Answers.Length));
    }

    [Theory]
    [InlineData("*1025\r\n", "a number up to 1024")]
    [InlineData("*-1\r\n", "a number up to 1024")]
    [InlineData("*1\r\n$524289\r\n", "a number up to 524288")]
    [InlineData("*1\r\n$99999999999999999999", "too long a number")]
    [InlineData("GET k\r\n", "expected '*'")]
    [InlineData("*1\r\n+PING\r\n", "expected '$'")]
    [InlineData("*1\r\n$4\r\nPINGS\r\n", "longer than it says")]
    public async Task EndsAConnectionThatBreaksALimitAndAnswersWhatCameBefore(string broken, string reason)
    {
        await using SampleProcess server = await SampleProcess.StartAsync(Descriptors, isTiered: true, "Redis");
        using Socket client = await RawSocket.ConnectAsync(server.EndPoint);
        await client.SendAllAsync(Bytes("*1\r\n$4\r\nPING\r\n" + broken));
        string answer = Encoding.Latin1.GetString(await client.ReceiveToEndAsync());

        Assert.StartsWith("+PONG\r\n-ERR Protocol error: ", answer, StringComparison.Ordinal);
        Assert.Contains(reason, answer, StringComparison.Ordinal);
        Assert.EndsWith("\r\n", answer, StringComparison.Ordinal);
    }

    [Fact]
    public async Task TakesTheLongestWord()
    {
        await using SampleProcess server = await SampleProcess.StartAsync(Descriptors, isTiered: true, "Redis");
        using Socket client = await RawSocket.ConnectAsync(server.EndPoint);
        string word = new('x', 512 * 1024);
        Task sending = client.SendAllAsync(Bytes($"*3\r\n$3\r\nSET\r\n$1\r\nl\r\n${word.Length}\r\n{word}\r\n*2\r\n$3\r\nGET\r\n$1\r\nl\r\n"));
        string expected = $"+OK\r\n${word.Length}\r\n{word}\r\n";

        Assert.Equal(expected, await ReceiveAsync(client, expected.Length));
        await sending.Within(20.Seconds());
    }

    [Fact]
    public async Task AClientThatDoesNotReadGetsNoMoreAnswersQueued()
    {
        const int Gets = 2000;
        const int MaxBytes = 512 * 1024 * 1024;
        await using SampleProcess server = await SampleProcess.StartAsync(Descriptors, isTiered: true, "Redis");
        using Socket client = await RawSocket.ConnectAsync(server.EndPoint);
        string word = new('x', 512 * 1024);
        await client.SendAllAsync(Bytes($"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n${word.Length}\r\n{word}\r\n"));
        Assert.Equal("+OK\r\n", await ReceiveAsync(client, 5));
        await client.SendAllAsync(Bytes(string.Concat(Enumerable.Repeat("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", Gets))));

        // The first answer comes once the commands were read; all of them together are 1 GB.
        Assert.Equal("$524288\r\n", await ReceiveAsync(client, 9));
        using Socket other = await RawSocket.ConnectAsync(server.EndPoint);
        await other.SendAllAsync(Bytes("*1\r\n$4\r\nPING\r\n"));
        Assert.Equal("+PONG\r\n", await ReceiveAsync(other, 7));
        Assert.InRange(server.PeakBytes(), 1, MaxBytes);
    }

    [Fact]
    public async Task EndsAConnectionThatSendsACommandWithoutEnd()
    {
        await using SampleProcess server = await SampleProcess.StartAsync(Descriptors, isTiered: true, "Redis");
        using Socket client = await RawSocket.ConnectAsync(server.EndPoint);
        string word = $"$524288\r\n{new string('x', 524_288)}\r\n";
        Task sending = client.SendAllAsync(Bytes("*1024\r\n" + word + word));
        string answer = Encoding.Latin1.GetString(await client.ReceiveToEndAsync());
        Assert.StartsWith("-ERR Protocol error: a command of more than", answer, StringComparison.Ordinal);
        await sending.Within(20.Seconds());
    }

    [Fact]
    public async Task EndsAConnectionThatIsIdleAndSaysWhy()
    {
        await using SampleProcess server = await SampleProcess.StartAsync(Descriptors, isTiered: true, "Redis", "--idle-ms", "50");
        using Socket client = await RawSocket.ConnectAsync(server.EndPoint);

        Assert.Equal("-ERR the connection was idle for too long\r\n", Encoding.Latin1.GetString(await client.ReceiveToEndAsync()));
    }

    [Fact]
    public async Task EndsAConnectionWhoseCommandComesAByteAtATimeAndSaysWhy()
    {
        await using SampleProcess server = await SampleProcess.StartAsync(Descriptors, isTiered: true, "Redis", "--idle-ms", "500");
        using Socket client = await RawSocket.ConnectAsync(server.EndPoint);
        const string Refused = "-ERR the connection was idle for too long\r\n";
        Task<string> answer = ReceiveAsync(client, Refused.Length);
        await client.SendAllAsync(Bytes("*1\r\n$524288\r\n"));

        // Each byte comes in time, and all of them together never do.
        await Waits.Until(
            async () =>
            {
                try
                {
                    await client.SendAllAsync(new byte[1]);
                    return answer.IsCompleted;
                }
                catch (SocketException)
                {
                    // It has ended.
                    return true;
                }
            },
            static hasEnded => hasEnded,
            20.Seconds());
        Assert.Equal(Refused, await answer);
    }

    [Fact]
    public async Task AMessageReachesTheSubscribersOfAllReactorsOnceAndInOrder()
    {
        await using SampleProcess server = await SampleProcess.StartAsync(Descriptors, isTiered: true, "Redis", "--reactors", "2");
        var clients = new List<Socket>();
        try
        {
            for (int index = 0; index < 8; index++)
            {
                clients.Add(await RawSocket.ConnectAsync(server.EndPoint));
                const string Subscribed = "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n";
                await clients[index].SendAllAsync(Bytes("*2\r\n$9\r\nSUBSCRIBE\r\n$1\r\nc\r\n"));
                Assert.Equal(Subscribed, await ReceiveAsync(clients[index], Subscribed.Length));
            }

            const int Messages = 1000;
            using Socket publisher = await RawSocket.ConnectAsync(server.EndPoint);
            await publisher.SendAllAsync(Bytes(string.Concat(
                Enumerable.Range(0, Messages).Select(static number => $"*3\r\n$7\r\nPUBLISH\r\n$1\r\nc\r\n$4\r\n{number:d4}\r\n"))));
            Assert.Equal(string.Concat(Enumerable.Repeat(":8\r\n", Messages)), await ReceiveAsync(publisher, 4 * Messages));
            string expected = string.Concat(
                Enumerable.Range(0, Messages).Select(static number => $"*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$4\r\n{number:d4}\r\n"));
            foreach (Socket client in clients)
            {
                Assert.Equal(expected, await ReceiveAsync(client, expected.Length));
            }

            // Who has left is told nothing.
            await clients[0].SendAllAsync(Bytes("*1\r\n$4\r\nPING\r\n"));
            Assert.Equal("+PONG\r\n", await ReceiveAsync(clients[0], 7));
            clients[0].Shutdown(SocketShutdown.Send);
            Assert.Empty(await clients[0].ReceiveToEndAsync());
            await publisher.SendAllAsync(Bytes("*3\r\n$7\r\nPUBLISH\r\n$1\r\nc\r\n$1\r\nx\r\n"));
            Assert.Equal(":7\r\n", await ReceiveAsync(publisher, 4));
        }
        finally
        {
            clients.ForEach(static client => client.Dispose());
        }
    }

    [Fact]
    public async Task ASubscriberThatDoesNotReadIsAborted()
    {
        await using SampleProcess server = await SampleProcess.StartAsync(Descriptors, isTiered: true, "Redis");
        using Socket client = await RawSocket.ConnectAsync(server.EndPoint);
        await client.SendAllAsync(Bytes("*2\r\n$9\r\nSUBSCRIBE\r\n$1\r\nc\r\n"));
        await ReceiveAsync(client, "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n".Length);
        using Socket publisher = await RawSocket.ConnectAsync(server.EndPoint);
        byte[] publish = Bytes($"*3\r\n$7\r\nPUBLISH\r\n$1\r\nc\r\n$16384\r\n{new string('x', 16384)}\r\n");
        string answer;
        int sent = 0;
        do
        {
            await publisher.SendAllAsync(publish);
            answer = await ReceiveAsync(publisher, 4);
            Assert.True(++sent < 20_000, "the subscriber's messages are kept without a limit");
        }
        while (answer == ":1\r\n");

        Assert.Equal(":0\r\n", answer);
    }

    [Fact]
    public async Task AKeyExpires()
    {
        await using SampleProcess server = await SampleProcess.StartAsync(Descriptors, isTiered: true, "Redis");
        using Socket client = await RawSocket.ConnectAsync(server.EndPoint);
        await client.SendAllAsync(Bytes("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n*3\r\n$6\r\nEXPIRE\r\n$1\r\nk\r\n$1\r\n0\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"));

        Assert.Equal("+OK\r\n:1\r\n$-1\r\n", await ReceiveAsync(client, 14));
    }

    /// <summary>The length of the answers to the commands that lie whole in the first bytes.</summary>
    private static int AnswersTo(int bytes)
    {
        // A command ends where the next begins: behind a line's end, with a star.
        int whole = Enumerable.Range(1, Commands.Length).Count(end => end <= bytes && (end == Commands.Length || Commands[end] == '*'));
        int length = 0;
        for (int answered = 0; answered < whole; answered++)
        {
            int end = Answers.AsSpan(length).StartsWith("$6\r\n", StringComparison.Ordinal)
                ? length + "$6\r\na\r\nb\0\xff\r\n".Length
                : Answers.IndexOf("\r\n", length, StringComparison.Ordinal) + 2;
            length = end;
        }

        return length;
    }

    private static byte[] Bytes(string text) => Encoding.Latin1.GetBytes(text);

    private static async Task<string> ReceiveAsync(Socket client, int length)
        => Encoding.Latin1.GetString(await client.ReceiveExactlyAsync(length).Within(60.Seconds()));
}
