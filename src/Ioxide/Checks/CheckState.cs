namespace Ioxide;

/// <summary>What a check found.</summary>
public enum CheckState
{
    /// <summary>It is there, and works.</summary>
    Ok,

    /// <summary>It works with less than it could have. Nothing that the program asks for is left out.</summary>
    Limited,

    /// <summary>It is not there or does not work. Something that the program asks for is replaced or left out.</summary>
    Missing,
}
