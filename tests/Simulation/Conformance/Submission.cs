namespace Ioxide.Simulation;

/// <summary>An entry that a script submitted, under the name by which the transcript knows it.</summary>
internal sealed class Submission(string name, Opcode opcode, Place? place)
{
    internal string Name => name;

    internal Opcode Opcode => opcode;

    internal Place? Place => place;

    /// <summary>Where a receive puts its bytes; null where the group does not exist.</summary>
    internal LentBuffers? Buffers { get; init; }

    /// <summary>Pinned memory that the kernel reads, kept until the script ends.</summary>
    internal byte[] Memory { get; init; } = [];

    /// <summary>Vectors that the kernel reads, kept as long.</summary>
    internal byte[] Header { get; init; } = [];

    /// <summary>Bytes of a send, all vectors together.</summary>
    internal int LengthBytes { get; init; }

    /// <summary>The result of the last completion.</summary>
    internal int Result { get; set; }

    /// <summary>Its last completion came.</summary>
    internal bool IsOver { get; set; }
}
