# What `rankexp.plugin` offers: it reads this file. One line a name, as `Name as Name`, or
# `Name as _Other` and `Other = _Other` where two rooms have one name.

# Values that several kinds use.
from rankexp.arrays import Bools as Bools
from rankexp.arrays import Floats as Floats
from rankexp.arrays import Ints as Ints
from rankexp.errors import ConfigError as ConfigError
from rankexp.errors import DataError as DataError
from rankexp.names import Named as Named
from rankexp.seeds import stream as stream

# Losses and risks.
from rankexp.losses.loss import LogitLinked as LogitLinked
from rankexp.losses.loss import Loss as Loss
from rankexp.losses.loss import MarginLoss as MarginLoss
from rankexp.losses.loss import ScaledLoss as ScaledLoss
from rankexp.losses.loss import PartialLosses as PartialLosses
from rankexp.risks.risk import Risk as Risk
from rankexp.risks.risk import RiskOfPairs as RiskOfPairs
from rankexp.risks.risk import Task as Task
from rankexp.solvers.result import PathResult as PathResult

# Metrics.
from rankexp.metrics.metric import Metric as Metric
from rankexp.metrics.metric import MetricReading as MetricReading
from rankexp.metrics.metric import UndefinedMetricWarning as UndefinedMetricWarning
from rankexp.metrics.metric import declare as declare
from rankexp.metrics.metric import mean_over_groups as mean_over_groups

# Generators and checks.
from rankexp.generators.generator import Generator as Generator
from rankexp.generators.generator import Model as Model
from rankexp.checks.check import Problem as Problem
from rankexp.checks.check import of_data as of_data

# What records keep.
from rankexp.runner.keep.curves import Curve as Curve

# Protocols.
from rankexp.statistics.design import Design as Design
from rankexp.runner.protocols.protocol import Generated as Generated
from rankexp.runner.protocols.protocol import Loaded as Loaded
from rankexp.runner.protocols.protocol import Part as Part
from rankexp.runner.protocols.protocol import Parts as Parts
from rankexp.runner.protocols.protocol import Place as Place
from rankexp.runner.protocols.protocol import Protocol as Protocol

# Diagnostics.
from rankexp.runner.diagnostics.diagnostic import AfterFitting as AfterFitting
from rankexp.runner.diagnostics.diagnostic import BeforeFitting as BeforeFitting
from rankexp.runner.diagnostics.diagnostic import ResultFacts as ResultFacts
from rankexp.runner.diagnostics.diagnostic import TableFacts as TableFacts

# Data sources.
from rankexp.runner.config.data_entry import DataEntry as DataEntry
from rankexp.runner.data.dataset import DataTable as DataTable
from rankexp.runner.data.dataset import Feature as Feature
from rankexp.runner.data.sources import asks_network as asks_network
from rankexp.runner.data.sources import reads_files as reads_files
from rankexp.runner.data.sources.file import locate as locate

# Clusters.
from rankexp.runner.run.engines import Cluster as Cluster
from rankexp.runner.run.pool import Returned as Returned
from rankexp.runner.run.remote import RemoteWorker as RemoteWorker
from rankexp.runner.run.remote import Requirements as Requirements

# Blocks of reports.
from rankexp.runner.analyse.select import ORACLE as ORACLE
from rankexp.runner.config.fault import Fault as Fault
from rankexp.runner.config.published import PublishedKey as PublishedKey
from rankexp.runner.config.schema import Block as Block
from rankexp.runner.report.context import Context as Context
from rankexp.charts.frame import Axes as Axes
from rankexp.charts.frame import Figure as Figure
from rankexp.charts.frame import colour as colour
from rankexp.charts.frame import legend as legend
from rankexp.charts.frame import panels as panels
from rankexp.charts.frame import styled as styled
from rankexp.charts.frame import title as title
from rankexp.runner.report.model import Cell as Cell
from rankexp.runner.report.model import Cells as Cells
from rankexp.runner.report.model import Fact as Fact
from rankexp.runner.report.model import Output as Output
from rankexp.runner.report.model import Table as Table
from rankexp.runner.report.model import Tally as Tally
from rankexp.runner.report.options import AtRule as AtRule
from rankexp.runner.report.options import BlockKind as BlockKind
from rankexp.runner.report.options import Choosing as Choosing
from rankexp.runner.report.options import ExperimentName as ExperimentName
from rankexp.runner.report.options import InBlocks as InBlocks
from rankexp.runner.report.options import MethodName as MethodName
from rankexp.runner.report.options import MetricOption as MetricOption
from rankexp.runner.report.options import OfMetric as OfMetric
from rankexp.runner.report.options import ProblemName as ProblemName
from rankexp.runner.report.options import Rule as Rule
