namespace Ioxide.PgBench;

/// <summary>The questions.</summary>
internal enum WorkloadKind
{
    /// <summary>One number by its key.</summary>
    PrimaryKey,

    /// <summary>One number by its key, which stands in the text: no text comes twice.</summary>
    Texts,

    /// <summary>Twenty numbers by their keys in one go.</summary>
    Batch,

    /// <summary>Twenty rows changed in one go.</summary>
    UpdateBatch,

    /// <summary>Twelve rows of two columns, read in place where the driver can.</summary>
    Fortunes,

    /// <summary>The same into objects with strings.</summary>
    FortuneObjects,

    /// <summary>Rows of nine columns, read in place where the driver can.</summary>
    Items,

    /// <summary>The same into objects with strings.</summary>
    ItemObjects,

    /// <summary>The same as JSON text.</summary>
    ItemsJson,

    /// <summary>A whole table at the reader's pace.</summary>
    ItemsStreamed,
}
