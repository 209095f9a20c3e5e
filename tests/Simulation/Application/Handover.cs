using System.Buffers;

namespace Ioxide.Simulation;

/// <summary>A piece of an answer that another thread writes. While it does nobody else may write.</summary>
internal sealed class Handover(World world, SendPipe output, byte[] bytes)
{
    /// <summary>Set when it has written and flushed; who reads on may write again from then on.</summary>
    internal bool IsOver { get; private set; }

    internal void Run() => _ = RunAsync();

    private async Task RunAsync()
    {
        try
        {
            output.Write(bytes);
            await output.FlushAsync().In(world);
        }
        finally
        {
            IsOver = true;
        }
    }
}
