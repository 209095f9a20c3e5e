namespace Ioxide.Files;

/// <summary>A connection with the front door in its input.</summary>
internal sealed class FrontDoorPipe(PipeReader input, PipeWriter output) : IDuplexPipe
{
    public PipeReader Input { get; } = input;

    public PipeWriter Output { get; } = output;
}
