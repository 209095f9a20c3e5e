using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>
/// A process may be started under a list of operations that holds for every ring it makes (Linux 7.0). Reactors then use rings if the list has
/// what they need, and say what is missing if not.
/// </summary>
public class TaskListTests
{
    private static readonly Opcode[] s_needed =
    [
        Opcode.Nop, Opcode.PollAdd, Opcode.SendMessage, Opcode.Accept, Opcode.AsyncCancel, Opcode.Connect, Opcode.Close, Opcode.Read, Opcode.Send,
        Opcode.Receive,
    ];

    [Theory, Each(false, true)]
    public async Task AListWithAllThatReactorsNeedLetsThemServe(bool forbidsLists)
    {
        var kernel = new TaskListKernel(s_needed) { ForbidsLists = forbidsLists };
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.PlayedKernel = kernel);
        await using RingListener listener = await fixture.ListenAsync(EchoHandler.RunAsync);
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        byte[] message = new byte[10_000];
        Random.Shared.NextBytes(message);

        await client.SendAllAsync(message);

        Assert.Equal(message, await client.ReceiveExactlyAsync(message.Length));
        Assert.Contains(", restricted by its task", fixture[0].Ring.Describe(), StringComparison.Ordinal);
    }

    [Fact]
    public void AListThatLeavesAnOperationOutIsNamedWithIt()
    {
        foreach (Opcode missing in s_needed)
        {
            AssertRefused(new TaskListKernel([.. s_needed.Except([missing])]), missing);
        }
    }

    [Theory]
    [InlineData((int)SqeFlags.HardLink, nameof(Opcode.Receive))]
    [InlineData((int)SqeFlags.BufferSelect, nameof(Opcode.Send))]
    public void AListThatLeavesAFlagOutIsNamedWithTheOperationThatHasIt(int allowed, string refused)
        => AssertRefused(new TaskListKernel(s_needed, (SqeFlags)allowed), Enum.Parse<Opcode>(refused));

    [Fact]
    public void AReactorUnderSuchAListDoesNotStart()
    {
        RingUnavailableException exception = Assert.Throws<RingUnavailableException>(
            () => ReactorFixture.Start(options => options.PlayedKernel = new TaskListKernel([Opcode.Nop])));

        Assert.Equal(RingSupport.Forbidden, exception.Support);
    }

    [Fact]
    public void ARingWhoseOwnListIsRefusedAndThatTakesAnyOperationIsNotUsed()
    {
        var kernel = new TaskListKernel([.. Enum.GetValues<Opcode>()]) { ForbidsLists = true };
        using Ring ring = Ring.Create(new RingOptions(SqEntries: 8, CqEntries: 16), kernel);
        ring.Enable();
        RingUnavailableException exception = Assert.Throws<RingUnavailableException>(ring.TryOut);
        ring.ReleaseThread();

        Assert.Equal((RingSupport.Forbidden, "io_uring_register(RESTRICTIONS)"), (exception.Support, exception.Call));
    }

    private static void AssertRefused(TaskListKernel kernel, Opcode missing)
    {
        using Ring ring = Ring.Create(new RingOptions(SqEntries: 8, CqEntries: 16), kernel);
        ring.Enable();
        RingUnavailableException exception = Assert.Throws<RingUnavailableException>(ring.TryOut);
        ring.ReleaseThread();

        Assert.Equal((RingSupport.Forbidden, Errno.EACCES, $"io_uring_enter({missing})"), (exception.Support, exception.ErrorNumber, exception.Call));
        Assert.Contains("a list of operations that this process was started under leaves it out", exception.Message, StringComparison.Ordinal);
        Assert.Contains("Allow in that list what SECURITY.md names", exception.Remedy, StringComparison.Ordinal);
    }
}
